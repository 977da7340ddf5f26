// RUN: cleave-opt --cleave-vectorize-tiles --split-input-file --verify-diagnostics %s

// Each function is this kernel with one thing wrong.
#tm = affine_map<(d0)[s0] -> (8, -d0 + s0)>
#id = affine_map<(m) -> (m)>
func.func @valid(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %y0 = tensor.empty(%m) : tensor<?xf32>
  %y = scf.forall (%i) = (0) to (%m) step (8) shared_outs(%out = %y0) -> (tensor<?xf32>) {
    %t = affine.min #tm(%i)[%m]
    %xt = tensor.extract_slice %x[%i] [%t] [1] : tensor<?xf32> to tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

func.func @unbounded(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %y0 = tensor.empty(%m) : tensor<?xf32>
  %y = scf.forall (%i) = (0) to (1) step (1) shared_outs(%out = %y0) -> (tensor<?xf32>) {
    // expected-error @below {{expected dimension 0 of a tile to have a provable constant bound}}
    %xt = tensor.extract_slice %x[%i] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [%m] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

func.func @own_output(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    // expected-error @below {{expected a slice of a function argument or of an earlier kernel's result}}
    %xt = tensor.extract_slice %out[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @stride(%x: tensor<128xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    // expected-error @below {{expected unit strides}}
    %xt = tensor.extract_slice %x[%i] [8] [2] : tensor<128xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @combiner(%x: tensor<64x8xf32>) -> tensor<64xf32> {
  %one = arith.constant 1.0 : f32
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i, 0] [8, 8] [1, 1] : tensor<64x8xf32> to tensor<8x8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // expected-error @below {{expected output #0 to be reduced by arith.addf, mulf, maximumf or minimumf of the output's element}}
    %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
        ins(%xt : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%v: f32, %s: f32):
      %q = arith.divf %s, %v : f32
      linalg.yield %q : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @twice(%x: tensor<64x8xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i, 0] [8, 8] [1, 1] : tensor<64x8xf32> to tensor<8x8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // expected-error @below {{expected the element of reduced output #0 to be used by its combiner alone, and once}}
    %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
        ins(%xt : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%v: f32, %s: f32):
      %p = arith.mulf %s, %v : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @uninitialized(%x: tensor<64x8xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i, 0] [8, 8] [1, 1] : tensor<64x8xf32> to tensor<8x8xf32>
    %e = tensor.empty() : tensor<8xf32>
    // expected-error @below {{reads an uninitialized tile}}
    %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
        ins(%xt : tensor<8x8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%v: f32, %s: f32):
      %q = arith.addf %s, %v : f32
      linalg.yield %q : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @diagonal(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i, %i] [8, 8] [1, 1] : tensor<64x64xf32> to tensor<8x8xf32>
    %e = tensor.empty() : tensor<8xf32>
    // expected-error @below {{expected indexing maps to be projected permutations but got affine_map<(d0) -> (d0, d0)>}}
    %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m, m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
        ins(%xt : tensor<8x8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%v: f32, %s: f32):
      linalg.yield %v : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @resized(%x: tensor<?xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %y0 = tensor.empty(%m) : tensor<?xf32>
  %y = scf.forall (%i) = (0) to (%m) step (8) shared_outs(%out = %y0) -> (tensor<?xf32>) {
    %t = affine.min affine_map<(d0)[s0] -> (8, -d0 + s0)>(%i)[%m]
    %e = tensor.empty(%t) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r = scf.for %j = %c0 to %m step %c1 iter_args(%a = %f) -> (tensor<?xf32>) {
      %u = affine.min affine_map<(d0)[s0] -> (8, -d0 + s0)>(%j)[%m]
      %xt = tensor.extract_slice %x[%j] [%u] [1] : tensor<?xf32> to tensor<?xf32>
      // expected-error @below {{expected every tile to keep its sizes over the loop}}
      scf.yield %xt : tensor<?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

func.func @other_op(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [4] [1] : tensor<64xf32> to tensor<4xf32>
    // expected-error @below {{is not part of the scheduled form}}
    %p = tensor.pad %xt low[0] high[4] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<4xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @other_host_op(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{is not part of the scheduled form}}
  %x1 = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    %c = arith.constant 0.0 : f32
    tensor.yield %c : f32
  } : tensor<64xf32> to tensor<65xf32>
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @returned_argument(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  // expected-error @below {{expected result #1 to be a kernel's result}}
  return %y, %x : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @lower_bound(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  // expected-error @below {{expected lower bounds of 0}}
  %y = scf.forall (%i) = (8) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @in_place(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{expected a kernel's result that starts from an argument to be returned with 'cleave.alias'}}
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %x) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @backwards(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  // expected-error @below {{expected 'cleave.backwards' to list dimensions of the grid}}
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  } {cleave.warps = 4 : i64, cleave.backwards = array<i64: 1>}
  return %y : tensor<64xf32>
}

// -----

func.func @warps(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  // expected-error @below {{expected cleave.warps to be a power of two from 1 to 32 but got 3}}
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  } {cleave.warps = 3 : i64}
  return %y : tensor<64xf32>
}

// -----

// expected-error @below {{expected ranked tensor arguments but got 'f32'}}
func.func @scalar_argument(%x: tensor<64xf32>, %s: f32) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

func.func @too_large(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %y0 = tensor.empty(%m) : tensor<?xf32>
  %y = scf.forall (%i) = (0) to (%m) step (4611686018427387904) shared_outs(%out = %y0) -> (tensor<?xf32>) {
    %t = affine.min affine_map<(d0)[s0] -> (4611686018427387904, -d0 + s0)>(%i)[%m]
    // expected-error @below {{expected a tile of at most 65536 elements for 128 threads but got 4611686018427387904}}
    %xt = tensor.extract_slice %x[%i] [%t] [1] : tensor<?xf32> to tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

func.func @condition(%x: tensor<64xf32>, %f: tensor<f32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf olt, %zero, %zero : f32
  // expected-error @below {{expected a condition on extents}}
  %y = scf.if %c -> tensor<64xf32> {
    %ea = tensor.empty() : tensor<64xf32>
    %a = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %ea) -> (tensor<64xf32>) {
      %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
      }
    } {cleave.warps = 1 : i64}
    scf.yield %a : tensor<64xf32>
  } else {
    %eb = tensor.empty() : tensor<64xf32>
    %b = scf.forall (%i) = (0) to (64) step (16) shared_outs(%out = %eb) -> (tensor<64xf32>) {
      %xt = tensor.extract_slice %x[%i] [16] [1] : tensor<64xf32> to tensor<16xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %xt into %out[%i] [16] [1] : tensor<16xf32> into tensor<64xf32>
      }
    } {cleave.warps = 1 : i64}
    scf.yield %b : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @branch_without_kernel(%x: tensor<64xf32>, %c: tensor<?xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %c, %c0 : tensor<?xf32>
  %small = arith.cmpi sle, %m, %c0 : index
  %y = scf.if %small -> tensor<64xf32> {
    %ea = tensor.empty() : tensor<64xf32>
    %a = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %ea) -> (tensor<64xf32>) {
      %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
      }
    } {cleave.warps = 1 : i64}
    scf.yield %a : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  // expected-error @below {{expected result #0 to be a kernel's result}}
  return %y : tensor<64xf32>
}

// -----

func.func @joins_nothing(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y0 = tensor.empty() : tensor<64xf32>
  // expected-error @below {{expected a kernel in front that it can join}}
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  } {cleave.join = array<i64: 0>}
  return %y : tensor<64xf32>
}

// -----

func.func @joins_dimension(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  // expected-error @below {{expected 'cleave.join' to name a dimension of the kernel in front for each of its own}}
  %z = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %yt = tensor.extract_slice %y[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %yt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  } {cleave.join = array<i64: 1>}
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @joins_step(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  // expected-error @below {{expected the bound and the step of dimension 0 to be those of the kernel that it joins}}
  %z = scf.forall (%i) = (0) to (64) step (16) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %yt = tensor.extract_slice %y[%i] [16] [1] : tensor<64xf32> to tensor<16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %yt into %out[%i] [16] [1] : tensor<16xf32> into tensor<64xf32>
    }
  } {cleave.join = array<i64: 0>}
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @joins_warps(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %y0 = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %xt = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %xt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  } {cleave.warps = 2 : i64}
  // expected-error @below {{expected as many warps as in the kernel that it joins}}
  %z = scf.forall (%i) = (0) to (64) step (8) shared_outs(%out = %y0) -> (tensor<64xf32>) {
    %yt = tensor.extract_slice %y[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %yt into %out[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  } {cleave.join = array<i64: 0>, cleave.warps = 4 : i64}
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}
