// RUN: cleave-opt %s
