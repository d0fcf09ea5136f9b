"""Programs of the figures of Draves (1996), with their annotations, and others that several tests use."""

APPEND = """
append(k l m) {
  if (null? l) (car k)(k m)
  frame = (list k l m)
  cl = (close cont frame)
  lift cl stack dynamic
  append(cl (cdr l) m)
cont(self r) {
  (k l m) = (cdr self)
  nr = (cons (car l) r)
  lift nr
  (car k)(k nr)
"""
DYN_IF = """
dyn-if(k s d) {
  frame = (list k s d)
  cl = (close cont frame)
  if (d) (car cl)(cl 2)
  (car cl)(cl 3)
cont(self r) {
  (k s d) = (cdr self)
  rr = r + s
  (car k)(k rr)
"""
EVEN = """
even(k n) {
  if (zero? n) (car k)(k 1)
  odd(k (- n 1))
}
odd(k n) {
  if (zero? n) (car k)(k 0)
  even(k (- n 1))
}
"""
NYBBLES = """
nyb(k i sum bpn ca cw) {
  if (zero? i) (car k)(k sum)
  i2 = (- i bpn)
  addr = (idiv i2 32)
  off = (imod i2 32)
  frame = (list k i2 sum bpn off)
  cl = (close got frame)
  loadc(cl addr ca cw)
}
loadc(k addr ca cw) {
  if (early= addr ca) (car k)(k ca cw)
  w = (load@m addr)
  (car k)(k addr w)
}
got(self addr w) {
  (k i sum bpn off) = (cdr self)
  mask = (- (<< 1 bpn) 1)
  ny = (& (>> w off) mask)
  lift sum
  s2 = (+ sum ny)
  nyb(k i s2 bpn addr w)
}
"""
FILTER = """
fir(k p q kern cache) {
  if (zero? p) (car k)(k q)
  cl = (close fir2 (list k p q kern))
  dot(cl 0 p kern cache)
}
fir2(self dp cache) {
  (k p q kern) = (cdr self)
  lift dp
  x = (store@out q dp)
  fir(k (- p 1) (+ q 1) kern cache)
}
dot(k sum p kern cache) {
  if (null? kern) (car k)(k sum cache)
  cl = (close dot2 (list k sum p kern))
  lookup(cl p cache cache 3)
}
dot2(self w cache) {
  (k sum p kern) = (cdr self)
  s2 = (+ sum (* (car kern) w))
  lift s2
  dot(k s2 (- p 1) (cdr kern) cache)
}
lookup(k p rest all cap) {
  if (null? rest) miss(k p all cap)
  e = (car rest)
  if (early= p (car e)) (car k)(k (cdr e) all)
  lookup(k p (cdr rest) all cap)
}
miss(k p all cap) {
  w = (load@m p)
  take(k w (- cap 1) all (cons (cons p w) nil))
}
take(k w n xs acc) {
  if (= n 0) rev(k w acc nil)
  if (null? xs) rev(k w acc nil)
  take(k w (- n 1) (cdr xs) (cons (car xs) acc))
}
rev(k w acc out) {
  if (null? acc) (car k)(k w out)
  rev(k w (cdr acc) (cons (car acc) out))
}
"""
