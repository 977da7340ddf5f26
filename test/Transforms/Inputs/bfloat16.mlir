// Every pointwise operation over all types of numbers.
#K = #cleave.axes<K>

func.func @pointwise(%x: tensor<?xf16, #K>, %y: tensor<?xbf16, #K>, %z: tensor<?xf64, #K>, %i: tensor<?xi32, #K>)
    -> (tensor<?xf32, #K>, tensor<?xf64, #K>, tensor<?xbf16, #K>) {
  %zero = cleave.sub %x, %x : (tensor<?xf16, #K>, tensor<?xf16, #K>) -> tensor<?xf32, #K>
  %r0 = cleave.recip0 %zero : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %a = cleave.add %x, %y, %r0 : (tensor<?xf16, #K>, tensor<?xbf16, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %m = cleave.max %a, %y : (tensor<?xf32, #K>, tensor<?xbf16, #K>) -> tensor<?xf32, #K>
  %n = cleave.min %a, %m, %x : (tensor<?xf32, #K>, tensor<?xf32, #K>, tensor<?xf16, #K>) -> tensor<?xf32, #K>
  %s = cleave.sigmoid %n : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %e = cleave.exp %s : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %q = cleave.sqrt %e : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %rq = cleave.rsqrt %q : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %g = cleave.neg %rq : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %d = cleave.div %g, %e : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %r = cleave.recip %d : (tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %p = cleave.pow %e, %r : (tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %c = cleave.cmp lt %x, %y : (tensor<?xf16, #K>, tensor<?xbf16, #K>) -> tensor<?xi1, #K>
  %f = cleave.is_finite %p : (tensor<?xf32, #K>) -> tensor<?xi1, #K>
  %t = cleave.select %c, %p, %n : (tensor<?xi1, #K>, tensor<?xf32, #K>, tensor<?xf32, #K>) -> tensor<?xf32, #K>
  %u = cleave.select %f, %t, %x : (tensor<?xi1, #K>, tensor<?xf32, #K>, tensor<?xf16, #K>) -> tensor<?xf32, #K>
  %v = cleave.cast %i : tensor<?xi32, #K> to tensor<?xf32, #K>
  %w = cleave.mul %u, %z, %v : (tensor<?xf32, #K>, tensor<?xf64, #K>, tensor<?xf32, #K>) -> tensor<?xf64, #K>
  %b = cleave.cast %u : tensor<?xf32, #K> to tensor<?xbf16, #K>
  return %u, %w, %b : tensor<?xf32, #K>, tensor<?xf64, #K>, tensor<?xbf16, #K>
}
