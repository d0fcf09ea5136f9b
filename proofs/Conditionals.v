(* Primitive moves on conditionals: White's section 4.2. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution.
Open Scope Z_scope.

(* 4.2.1, from the front *)
Theorem absorption_before : forall ρ b S A B
  (condition_kept : apart (writes ρ S) (reads_b ρ b)),
  equal ρ (Seq S (If b A B)) (If b (Seq S A) (Seq S B)).
Proof. intros ρ b S A B K σ; simpl; rewrite truth_survives by auto; destruct holds; auto. Qed.

(* 4.2.1, from the back: no condition *)
Theorem absorption_after : forall ρ b S A B,
  equal ρ (Seq (If b A B) S) (If b (Seq A S) (Seq B S)).
Proof. intros ρ b S A B σ; simpl; destruct holds; auto. Qed.

(* 4.2.2, with G2: the variable is no index in scope *)
Theorem absorption_with_substitution : forall ρ x s b A B
  (legal_not_an_index : ρ x = None),
  equal ρ (Seq (Assign (Simple x) s) (If b A B))
          (If (subst_bexp x s b) (Seq (Assign (Simple x) s) A) (Seq (Assign (Simple x) s) B)).
Proof. intros ρ x s b A B F σ; simpl; rewrite holds_subst, truth_held by auto; destruct holds; auto. Qed.

(* 4.2.3 *)
Theorem if_splitting : forall ρ b A B
  (condition_kept : apart (writes ρ A) (reads_b ρ b)),
  equal ρ (If b A B) (Seq (If b A Null) (If (Not b) B Null)).
Proof.
  intros ρ b A B K σ; simpl; destruct (holds ρ σ b) eqn:H; simpl.
  - rewrite truth_survives, H by auto; auto.
  - rewrite H; auto.
Qed.

(* 4.2.4 *)
Theorem if_splitting_other_first : forall ρ b A B
  (condition_kept : apart (writes ρ B) (reads_b ρ b)),
  equal ρ (If b A B) (Seq (If (Not b) B Null) (If b A Null)).
Proof.
  intros ρ b A B K σ; simpl; destruct (holds ρ σ b) eqn:H; simpl.
  - rewrite H; auto.
  - rewrite truth_survives, H by auto; auto.
Qed.

(* 4.2.5, the three cases *)
Theorem if_of_known_condition : forall ρ b A B p
  (condition_known : forall σ, holds ρ σ b = p),
  equal ρ (If b A B) (if p then A else B).
Proof. intros ρ b A B p K σ; simpl; rewrite K; destruct p; auto. Qed.

Theorem if_of_nullable_arms : forall ρ b A B
  (arms_nullable : equal ρ A Null /\ equal ρ B Null),
  equal ρ (If b A B) Null.
Proof. intros ρ b A B [M N] σ; simpl; rewrite M, N; destruct holds; auto. Qed.

Theorem if_of_equal_arms : forall ρ b A B
  (equal_arms : equal ρ A B),
  equal ρ (If b A B) A.
Proof. intros ρ b A B E σ; simpl; rewrite E; destruct holds; auto. Qed.

(* A conditional assignment is the assignment of a conditional expression; the other value is the old one. *)
Theorem if_conversion : forall ρ b v s t,
  equal ρ (If b (Assign v s) (Assign v t)) (Assign v (Pick b s t)).
Proof. intros ρ b v s t σ; simpl; destruct holds; auto. Qed.

(* The same backwards, wherever in the value the choice is made. *)
Theorem branching : forall ρ b v e s t
  (shape_value : forall σ, eval ρ σ e = if holds ρ σ b then eval ρ σ s else eval ρ σ t),
  equal ρ (Assign v e) (If b (Assign v s) (Assign v t)).
Proof. intros ρ b v e s t E σ; simpl; rewrite E; destruct holds; auto. Qed.

(* Nested conditionals on the same condition. *)
Theorem if_of_same_condition : forall ρ b A B C,
  equal ρ (If b (If b A B) C) (If b A C).
Proof. intros ρ b A B C σ; simpl; destruct (holds ρ σ b) eqn:H; auto. Qed.
