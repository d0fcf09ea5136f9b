(* Loops on machine integers: half-open, as the optimizer's are, over numbers of a fixed width.

   White's loops are closed and over all integers. Here are the places where that makes a difference: a condition
   `index <= c` is a bound c + 1, which wraps at the largest number. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution Spans.
Open Scope Z_scope.

Section Width.

(* Signed numbers of `half + half` values; for unsigned ones read the theorems on bounds with lowest = 0. *)
Variable half : Z.
Hypothesis half_positive : 0 < half.

Definition lowest : Z := - half.
Definition largest : Z := half - 1.
Definition fits (n : Z) : Prop := lowest <= n <= largest.
Definition wrap (n : Z) : Z := (n + half) mod (2 * half) - half.

Lemma wrap_fits : forall n, fits (wrap n).
Proof. intro n; unfold fits, wrap, lowest, largest; pose proof (Z.mod_pos_bound (n + half) (2 * half)); lia. Qed.

Lemma wrap_exact : forall n, fits n -> wrap n = n.
Proof. unfold fits, wrap, lowest, largest; intros n F; rewrite Z.mod_small by lia; lia. Qed.

(* first, first + 1, ..., before `beyond` *)
Definition half_open (body : Z -> state -> state) (first beyond : Z) : state -> state :=
  run body first (Z.to_nat (beyond - first)).

Theorem half_open_is_closed : forall body first beyond σ,
  half_open body first beyond σ = run body first (trips first (beyond - 1)) σ.
Proof. intros; unfold half_open, trips; f_equal; f_equal; lia. Qed.

(* No index of such a loop, nor the number after it, wraps. *)
Theorem counter_never_wraps : forall first beyond k,
  fits first -> fits beyond -> first <= k < beyond -> fits k /\ wrap (k + 1) = k + 1.
Proof. intros first beyond k F B K; split; [| apply wrap_exact]; unfold fits in *; lia. Qed.

(* The number after c as a bound: at the largest number, that number itself. *)
Definition successor (c : Z) : Z := wrap (Z.min c (largest - 1) + 1).

Theorem successor_fits : forall c, fits c -> fits (successor c).
Proof. intros; apply wrap_fits. Qed.

(* index <= c for every index of a loop, as a bound; no index is the largest number. *)
Theorem at_most_as_bound : forall c beyond k,
  fits c -> fits beyond -> fits k -> k < beyond -> (k <= c <-> k < successor c).
Proof.
  intros c beyond k C B K L; unfold successor.
  rewrite wrap_exact; unfold fits, lowest, largest in *; lia.
Qed.

(* index > c likewise: the bound below. *)
Theorem above_as_bound : forall c beyond k,
  fits c -> fits beyond -> fits k -> k < beyond -> (c < k <-> successor c <= k).
Proof. intros c beyond k C B K L; pose proof (at_most_as_bound c beyond k C B K L); lia. Qed.

(* min(h, c + 1), read literally, is wrong at the largest c: the loop loses all its iterations. *)
Theorem naive_successor_wraps : wrap (largest + 1) = lowest.
Proof.
  unfold wrap, largest, lowest; replace (half - 1 + 1 + half) with (1 * (2 * half)) by ring.
  rewrite Z.mod_mul by lia; lia.
Qed.

(* 5.4.1 on half-open machine loops: cut at the successor. *)
Theorem join_at_most_machine : forall body first beyond c σ,
  fits first -> fits beyond -> fits c ->
  half_open (fun k τ => if k <=? c then body k τ else τ) first beyond σ =
  half_open body first (Z.min beyond (successor c)) σ.
Proof.
  intros body first beyond c σ F B C; rewrite !half_open_is_closed.
  rewrite (run_to _ body first (beyond - 1) (successor c - 1)).
  - replace (Z.min (beyond - 1) (successor c - 1)) with (Z.min beyond (successor c) - 1) by lia; auto.
  - intros k τ K.
    assert (k <= c <-> k < successor c) by (apply (at_most_as_bound c beyond); auto; unfold fits in *; lia).
    destruct (Z.leb_spec k c), (Z.leb_spec k (successor c - 1)); auto; lia.
Qed.

(* The middle of two numbers as the optimizer computes it, a & b + (a ^ b) >> 1, is the floor of their mean. *)
Theorem mean_without_overflow : forall a b, Z.land a b + Z.shiftr (Z.lxor a b) 1 = (a + b) / 2.
Proof.
  intros a b; rewrite Z.shiftr_div_pow2 by lia; change (2 ^ 1) with 2.
  assert (S : forall u v w, Z.land u v = 0 -> Z.lxor u v = w -> u + v = w).
  { intros u v w N <-; apply Z.add_nocarry_lxor; auto. }
  assert (A : Z.ldiff a b + Z.land a b = a).
  { apply S; apply Z.bits_inj'; intros n _; rewrite ?Z.lxor_spec, ?Z.land_spec, ?Z.ldiff_spec, ?Z.land_spec, ?Z.bits_0;
      destruct (Z.testbit a n), (Z.testbit b n); auto. }
  assert (B : Z.ldiff b a + Z.land a b = b).
  { apply S; apply Z.bits_inj'; intros n _; rewrite ?Z.lxor_spec, ?Z.land_spec, ?Z.ldiff_spec, ?Z.land_spec, ?Z.bits_0;
      destruct (Z.testbit a n), (Z.testbit b n); auto. }
  assert (X : Z.ldiff a b + Z.ldiff b a = Z.lxor a b).
  { apply S; apply Z.bits_inj'; intros n _; rewrite ?Z.lxor_spec, ?Z.land_spec, ?Z.ldiff_spec, ?Z.bits_0;
      destruct (Z.testbit a n), (Z.testbit b n); auto. }
  replace (a + b) with (Z.land a b * 2 + Z.lxor a b) by lia.
  rewrite Z.div_add_l by lia; auto.
Qed.

(* Strips: if the bounds of the last block fit, no bound of a block wraps. *)
Theorem strip_bounds_fit : forall first beyond n i,
  fits first -> fits beyond -> 0 < n -> fits (beyond + n) ->
  0 <= i -> first + i * n < beyond ->
  wrap (first + wrap (i * n)) = first + i * n /\ wrap (wrap (first + wrap (i * n)) + n) = first + i * n + n.
Proof.
  intros first beyond n i F B P G I L.
  assert (E : wrap (first + wrap (i * n)) = first + i * n).
  { unfold wrap at 1 2.
    replace (first + ((i * n + half) mod (2 * half) - half) + half) with (first + (i * n + half) mod (2 * half)) by ring.
    rewrite Zplus_mod_idemp_r; replace (first + (i * n + half)) with (first + i * n + half) by ring.
    apply wrap_exact; unfold fits in *; nia. }
  split; auto; rewrite E; apply wrap_exact; unfold fits in *; nia.
Qed.

End Width.
