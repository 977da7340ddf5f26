//===- Graphs.h - Functions that several tests optimize ---------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TEST_UNIT_ALGEBRA_GRAPHS_H
#define CLEAVE_TEST_UNIT_ALGEBRA_GRAPHS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::cleave::graphs {

constexpr llvm::StringRef rmsNormLinear = R"mlir(
#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>
func.func @f(%x: tensor<?x37xf16, #M_K> {cleave.range = 1200.0 : f32},
             %g: tensor<37xf16, #K> {cleave.range = 8.0 : f32},
             %w: tensor<37x?xf16, #K_N>) -> tensor<?x?xf32, #M_N> {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x37xf16, #M_K>, tensor<37xf16, #K>) -> tensor<37x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<37x?xf32, #K_M>, tensor<37x?xf16, #K_N>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
})mlir";

constexpr llvm::StringRef attention = R"mlir(
#S_D = #cleave.axes<S, D>
#T_D = #cleave.axes<T, D>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S_T = #cleave.axes<S, T>
func.func @f(%q: tensor<?x16xf16, #S_D>, %k: tensor<?x16xf16, #T_D>,
             %v: tensor<?x?xf16, #T_E>) -> tensor<?x?xf32, #E_S> {
  %s = cleave.contract %q, %k over [D] : (tensor<?x16xf16, #S_D>, tensor<?x16xf16, #T_D>) -> tensor<?x?xf32, #S_T>
  %p = cleave.softmax %s over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %p, %v over [T] : (tensor<?x?xf32, #S_T>, tensor<?x?xf16, #T_E>) -> tensor<?x?xf32, #E_S>
  return %o : tensor<?x?xf32, #E_S>
})mlir";

/// A norm for each head: the scale leaves a sum over an axis made by split.
constexpr llvm::StringRef heads = R"mlir(
#M_C = #cleave.axes<M, C>
#D_H_M = #cleave.axes<D, H, M>
#D_N = #cleave.axes<D, N>
#H_M_N = #cleave.axes<H, M, N>
func.func @f(%x: tensor<?x11xf16, #M_C>, %w: tensor<4x?xf16, #D_N>)
    -> tensor<3x?x?xf32, #H_M_N> {
  %h = cleave.split %x C into (H, D) : tensor<?x11xf16, #M_C> to tensor<4x3x?xf16, #D_H_M>
  %n = cleave.rms_norm %h over [D] eps 1.0e-6 : (tensor<4x3x?xf16, #D_H_M>) -> tensor<4x3x?xf32, #D_H_M>
  %y = cleave.contract %n, %w over [D] : (tensor<4x3x?xf32, #D_H_M>, tensor<4x?xf16, #D_N>) -> tensor<3x?x?xf32, #H_M_N>
  return %y : tensor<3x?x?xf32, #H_M_N>
})mlir";

/// Several results are extracted together.
constexpr llvm::StringRef severalResults = R"mlir(
#S_T = #cleave.axes<S, T>
#T_E = #cleave.axes<T, E>
#E_S = #cleave.axes<E, S>
#S = #cleave.axes<S>
#s = #cleave.axes<>
func.func @f(%x: tensor<?x?xf32, #S_T>, %v: tensor<?x?xf32, #T_E>)
    -> (tensor<?x?xf32, #E_S>, tensor<?xf32, #S>, tensor<?xf32, #S>) {
  %m = cleave.reduce_max %x over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %f = cleave.is_finite %m : (tensor<?xf32, #S>) -> tensor<?xi1, #S>
  %z = cleave.constant 0.0 : tensor<f32, #s>
  %h = cleave.select %f, %m, %z : (tensor<?xi1, #S>, tensor<?xf32, #S>, tensor<f32, #s>) -> tensor<?xf32, #S>
  %d = cleave.sub %x, %h : (tensor<?x?xf32, #S_T>, tensor<?xf32, #S>) -> tensor<?x?xf32, #S_T>
  %e = cleave.exp %d : (tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %l = cleave.reduce_sum %e over [T] : (tensor<?x?xf32, #S_T>) -> tensor<?xf32, #S>
  %r = cleave.recip0 %l : (tensor<?xf32, #S>) -> tensor<?xf32, #S>
  %p = cleave.mul %r, %e : (tensor<?xf32, #S>, tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #S_T>
  %o = cleave.contract %v, %p over [T] : (tensor<?x?xf32, #T_E>, tensor<?x?xf32, #S_T>) -> tensor<?x?xf32, #E_S>
  return %o, %m, %l : tensor<?x?xf32, #E_S>, tensor<?xf32, #S>, tensor<?xf32, #S>
})mlir";

constexpr llvm::StringRef chain = R"mlir(
#K_M = #cleave.axes<K, M>
#K_R = #cleave.axes<K, R>
#N_R = #cleave.axes<N, R>
#M_R = #cleave.axes<M, R>
#M_N = #cleave.axes<M, N>
func.func @f(%x: tensor<?x?xf16, #K_M>, %a: tensor<?x?xf16, #K_R>,
             %b: tensor<?x?xf16, #N_R>) -> tensor<?x?xf32, #M_N> {
  %h = cleave.contract %x, %a over [K] : (tensor<?x?xf16, #K_M>, tensor<?x?xf16, #K_R>) -> tensor<?x?xf32, #M_R>
  %y = cleave.contract %h, %b over [R] : (tensor<?x?xf32, #M_R>, tensor<?x?xf16, #N_R>) -> tensor<?x?xf32, #M_N>
  return %y : tensor<?x?xf32, #M_N>
})mlir";

/// Sums that meet by rewriting are one, and constants fold.
constexpr llvm::StringRef meet = R"mlir(
#K_M = #cleave.axes<K, M>
#M = #cleave.axes<M>
#s = #cleave.axes<>
func.func @f(%x: tensor<7x3xf32, #K_M> {cleave.range = 8.0 : f32}) -> tensor<f32, #s> {
  %c = cleave.constant 2.0 : tensor<f32, #s>
  %d = cleave.constant 3.0 : tensor<f32, #s>
  %p = cleave.mul %x, %c : (tensor<7x3xf32, #K_M>, tensor<f32, #s>) -> tensor<7x3xf32, #K_M>
  %a = cleave.reduce_sum %p over [K] : (tensor<7x3xf32, #K_M>) -> tensor<3xf32, #M>
  %q = cleave.mul %a, %d : (tensor<3xf32, #M>, tensor<f32, #s>) -> tensor<3xf32, #M>
  %b = cleave.reduce_sum %q over [M] : (tensor<3xf32, #M>) -> tensor<f32, #s>
  return %b : tensor<f32, #s>
})mlir";

} // namespace mlir::cleave::graphs

#endif // CLEAVE_TEST_UNIT_ALGEBRA_GRAPHS_H
