(* Where the printed side conditions are not sufficient, or forbid too much: a counterexample for each.

   The numbers G1 to G12 are those of docs/lineage.md. White's own definitions of setting and using (3.8.1) are
   semantic: a location is set if some state is changed there, and used if changing it first and changing it afterwards
   differ somewhere; so what is set is used. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution Statements Loops Spans.
Import ListNotations.
Open Scope Z_scope.
Open Scope string_scope.

Definition truly_sets (A : stat) (l : loc) : Prop := exists σ, exec nowhere A σ l <> σ l.
Definition truly_uses (A : stat) (l : loc) : Prop :=
  exists σ n, exec nowhere A (set l n σ) <> set l n (exec nowhere A σ).

Definition zero : state := fun _ => 0.
Definition put (x : name) (s : expr) : stat := Assign (Simple x) s.
Definition store (a : name) (i s : expr) : stat := Assign (Indexed a i) s.

(* Two statements differ if they leave different numbers somewhere. *)
Lemma differ : forall ρ A B σ l, exec ρ A σ l <> exec ρ B σ l -> ~ equal ρ A B.
Proof. intros ρ A B σ l N E; apply N; rewrite E; auto. Qed.

Lemma uses_of_constant : forall x n l, truly_uses (put x (Num n)) l -> l = Scalar x.
Proof.
  intros x n l (σ & m & N); destruct (loc_eq l (Scalar x)); auto.
  destruct N; simpl; apply set_commute; auto.
Qed.

(* G1: 4.1.4 with semantic sets; a variable that is set and put back is not in them. *)
Example printed_4_1_4_false :
  let A := Seq (put "x" (Bin Add (Var "x") (Num 1)))
               (Seq (put "y" (Var "x")) (put "x" (Bin Sub (Var "x") (Num 1)))) in
  (forall l, truly_uses (put "x" (Num 7)) l -> ~ truly_sets A l) /\
  ~ equal nowhere (Seq (put "x" (Num 7)) A) (Seq (subst "x" (Num 7) A) (put "x" (Num 7))).
Proof.
  split.
  - intros l U [σ S]; apply uses_of_constant in U as ->; apply S; cbn; lia.
  - apply (differ _ _ _ zero (Scalar "y")); cbn; discriminate.
Qed.

(* G2: "equal in all states" (3.5.4) is no congruence, if an index may be assigned. *)
Example printed_3_5_4_no_congruence :
  let A := Seq (put "x" (Num 1)) (put "y" (Var "x")) in
  let B := Seq (put "x" (Num 1)) (put "y" (Num 1)) in
  equal nowhere A B /\ ~ equal nowhere (For "x" (Num 5) (Num 5) A) (For "x" (Num 5) (Num 5) B).
Proof.
  split.
  - intro σ; reflexivity.
  - apply (differ _ _ _ zero (Scalar "y")); cbn; discriminate.
Qed.

(* G3: 5.4.1, with a body that assigns its own index. *)
Example printed_5_4_1_false :
  let A := Seq (put "x" (Num 5)) (store "a" (Var "x") (Num 100)) in
  let c := Elem "a" (Num 7) in
  (forall l, truly_sets A l -> ~ reads nowhere c l) /\ ~ In "x" (names c) /\
  ~ equal nowhere (For "x" (Num 1) (Num 10) (If (Rel AtLeast (Var "x") c) A Null))
                  (For "x" (Bin Max (Num 1) c) (Num 10) A).
Proof.
  split; [| split].
  - intros l [σ S] [[τ ->] | []]; apply S; reflexivity.
  - simpl; intros [E | []]; discriminate.
  - apply (differ _ _ _ zero (Cell "a" 8)); cbn; discriminate.
Qed.

(* G4: 4.1.6a. What is set is used; so the condition forbids x := 5; x := 6 and allows x := 5; x := x. *)
Example printed_4_1_6_too_strong :
  truly_sets (put "x" (Num 5)) (Scalar "x") /\ truly_uses (put "x" (Num 6)) (Scalar "x") /\
  equal nowhere (Seq (put "x" (Num 5)) (put "x" (Num 6))) (put "x" (Num 6)).
Proof.
  split; [| split].
  - exists zero; cbn; discriminate.
  - exists zero, 1; intro E; apply (f_equal (fun σ => σ (Scalar "x"))) in E; cbn in E; discriminate.
  - apply compression_of_assignments; intros l _ [].
Qed.

Example printed_4_1_6_false :
  (forall l, truly_sets (put "x" (Num 5)) l -> ~ truly_uses (put "x" (Var "x")) l) /\
  ~ equal nowhere (Seq (put "x" (Num 5)) (put "x" (Var "x"))) (put "x" (Var "x")).
Proof.
  split.
  - intros l _ (σ & n & N); apply N; cbn; rewrite !set_own; auto.
  - apply (differ _ _ _ zero (Scalar "x")); cbn; discriminate.
Qed.

(* G5: 4.1.4 captures an index of an inner loop. *)
Example printed_4_1_4_captures :
  let A := For "y" (Num 1) (Num 3) (store "a" (Var "y") (Var "x")) in
  ~ In "x" (sets A) /\ apart (writes nowhere A) (reads nowhere (Var "y")) /\
  ~ equal nowhere (Seq (put "x" (Var "y")) A) (Seq (subst "x" (Var "y") A) (put "x" (Var "y"))).
Proof.
  split; [| split].
  - simpl; intros [E | []]; discriminate.
  - intros l (k & _ & [σ ->]) [_ E]; discriminate.
  - apply (differ _ _ _ zero (Cell "a" 1)); cbn; discriminate.
Qed.

(* G6: 5.1.1, where iterations are interchangeable in the entry state but not in the states that the loop meets. *)
Example printed_5_1_1_false :
  let A := If (Rel Equal (Var "x") (Num 1)) (put "g" (Num 1))
              (If (Rel Equal (Var "g") (Num 1)) (put "u" (Bin Mul (Var "u") (Num 2))) Null) in
  let B := put "u" (Bin Add (Var "u") (Num 1)) in
  let σ := set (Scalar "u") 1 zero in
  (forall j k, 1 <= j < k -> k <= 2 ->
     exec (bind "y" j nowhere) B (exec (bind "x" k nowhere) A σ) =
     exec (bind "x" k nowhere) A (exec (bind "y" j nowhere) B σ)) /\
  exec nowhere (Seq (For "x" (Num 1) (Num 2) A) (For "y" (Num 1) (Num 2) B)) σ <>
  exec nowhere (For "x" (Num 1) (Num 2) (Seq A (subst "y" (Var "x") B))) σ.
Proof.
  split.
  - intros j k J K; assert (k = 2) as -> by lia; reflexivity.
  - intro E; apply (f_equal (fun σ => σ (Scalar "u"))) in E; cbn in E; discriminate.
Qed.

(* G7: 5.2.2, with the inner index in the outer bounds. *)
Example printed_5_2_2_false :
  let A := store "a" (Num 0) (Num 1) in
  ~ equal nowhere (For "x" (Num 1) (Var "y") (For "y" (Num 1) (Num 2) A))
                  (For "y" (Num 1) (Num 2) (For "x" (Num 1) (Var "y") A)).
Proof. apply (differ _ _ _ zero (Cell "a" 0)); cbn; discriminate. Qed.

(* G7: 5.1.1, with the first index free in the second body, where renaming captures it. *)
Example printed_5_1_1_captures :
  let A := Null in
  let B := store "a" (Var "y") (Var "x") in
  ~ equal nowhere (Seq (For "x" (Num 1) (Num 2) A) (For "y" (Num 1) (Num 2) B))
                  (For "x" (Num 1) (Num 2) (Seq A (subst "y" (Var "x") B))).
Proof. apply (differ _ _ _ zero (Cell "a" 1)); cbn; discriminate. Qed.

(* G8: 4.1.2, if `uses` meant reading alone: nothing forbids to exchange x := 1 and x := 2. *)
Example interchange_needs_sets_apart :
  apart (writes nowhere (put "x" (Num 1))) (loads nowhere (put "x" (Num 2))) /\
  apart (writes nowhere (put "x" (Num 2))) (loads nowhere (put "x" (Num 1))) /\
  ~ equal nowhere (Seq (put "x" (Num 1)) (put "x" (Num 2))) (Seq (put "x" (Num 2)) (put "x" (Num 1))).
Proof.
  split; [| split].
  - intros l _ [[] | []].
  - intros l _ [[] | []].
  - apply (differ _ _ _ zero (Scalar "x")); cbn; discriminate.
Qed.

(* G12: 5.3.1 asks that the statement be interchangeable with the rest; t := 7; a[x] := t is not, and yet it moves. *)
Example printed_5_3_1_too_strong :
  let A := put "t" (Num 7) in
  let B := store "a" (Var "x") (Var "t") in
  ~ interchangeable nowhere A (subst "x" (Num 1) B) /\
  equal nowhere (For "x" (Num 1) (Num 9) (Seq A B)) (Seq A (For "x" (Num 1) (Num 9) B)).
Proof.
  split.
  - apply (differ _ _ _ zero (Cell "a" 1)); cbn; discriminate.
  - intro σ; apply code_motion_first; try (intros l W L).
    + cbn; lia.
    + simpl; tauto.
    + destruct L as [[] | []].
    + destruct L as [[] | []].
    + destruct W as (k & _ & [τ ->]), L as [ν E]; discriminate.
    + intro τ; cbn; apply set_twice.
Qed.

(* Section 6.4 drops loops whose lower bound is at least the upper one; equal bounds are one iteration (4.3.1). *)
Example one_iteration_is_not_none :
  ~ equal nowhere (For "x" (Num 1) (Num 1) (put "y" (Num 1))) Null.
Proof. apply (differ _ _ _ zero (Scalar "y")); cbn; discriminate. Qed.
