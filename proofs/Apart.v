(* Always separate (3.2.3): when two accesses are different elements, and what that gives for statements.

   The five kinds of indices and the table of section 6.3 are instances; above them stand affine forms, whose
   difference is never zero because its interval excludes zero or its residue does. *)

From Coq Require Import ZArith Znumtheory String List Bool Lia FunctionalExtensionality Permutation.
From Hops Require Import Language Footprint Substitution Statements Loops.
Import ListNotations.
Open Scope Z_scope.

(* ---- locations ---- *)

Theorem arrays_apart : forall ρ ρ' a b i j,
  a <> b -> apart (places ρ (Indexed a i)) (places ρ' (Indexed b j)).
Proof. intros ρ ρ' a b i j N l [σ ->] [τ E]; simpl in E; congruence. Qed.

Theorem elements_apart : forall ρ ρ' a i j,
  (forall σ τ, eval ρ σ i <> eval ρ' τ j) -> apart (places ρ (Indexed a i)) (places ρ' (Indexed a j)).
Proof. intros ρ ρ' a i j N l [σ ->] [τ E]; simpl in E; injection E; intro; apply (N σ τ); auto. Qed.

(* Statements with no name in common: White's static approximation (3.9). *)
Theorem names_apart : forall A ρ (X : loc -> Prop) ns,
  (forall l, X l -> In (label l) ns) -> disjoint (sets A) ns -> apart (writes ρ A) X.
Proof. intros A ρ X ns H D l W L; apply (D (label l)); auto; eapply writes_sets; eauto. Qed.

(* ---- residues ---- *)

(* x is r modulo m; modulo 0 it is r itself. *)
Definition residue (x m r : Z) : Prop := (m | x - r).

Lemma residue_constant : forall n, residue n 0 n.
Proof. intro; unfold residue; rewrite Z.sub_diag; apply Z.divide_0_r. Qed.

Lemma residue_weaken : forall x m n r, (n | m) -> residue x m r -> residue x n r.
Proof. unfold residue; intros; eapply Z.divide_trans; eauto. Qed.

Theorem residue_sum : forall x y m n r q,
  residue x m r -> residue y n q -> residue (x + y) (Z.gcd m n) (r + q).
Proof.
  unfold residue; intros x y m n r q H K.
  replace (x + y - (r + q)) with ((x - r) + (y - q)) by ring.
  apply Z.divide_add_r; eapply Z.divide_trans; eauto; [apply Z.gcd_divide_l | apply Z.gcd_divide_r].
Qed.

(* The product, with the modulus that the optimizer computes. *)
Theorem residue_product : forall x y m n r q,
  residue x m r -> residue y n q -> residue (x * y) (Z.gcd (Z.gcd (m * n) (m * q)) (n * r)) (r * q).
Proof.
  unfold residue; intros x y m n r q [u H] [v K].
  replace x with (u * m + r) by lia; replace y with (v * n + q) by lia.
  replace ((u * m + r) * (v * n + q) - r * q) with (u * v * (m * n) + u * (m * q) + v * (n * r)) by ring.
  set (g := Z.gcd (m * n) (m * q)).
  repeat apply Z.divide_add_r; apply Z.divide_mul_r.
  - apply Z.divide_trans with g; [apply Z.gcd_divide_l | apply Z.gcd_divide_l].
  - apply Z.divide_trans with g; [apply Z.gcd_divide_l | apply Z.gcd_divide_r].
  - apply Z.gcd_divide_r.
Qed.

(* a[2i] and a[2i + 1]: a difference with another residue than 0 is not 0, nor does it become 0 by wrapping. *)
Theorem separate_by_residue : forall p q width m r,
  residue (p - q) m r -> r mod Z.gcd m width <> 0 -> p mod width <> q mod width.
Proof.
  intros p q width m r R N E; apply N; clear N.
  set (g := Z.gcd m width).
  destruct (Z.eq_dec g 0) as [G | G].
  { apply Z.gcd_eq_0 in G as [-> ->]; unfold g; simpl; rewrite Zmod_0_r in *.
    rewrite !Zmod_0_r in E; destruct R as [k R]; lia. }
  apply Z.mod_divide; auto.
  assert (H : (width | p - q)).
  { destruct (Z.eq_dec width 0) as [-> | W]; [rewrite !Zmod_0_r in E; subst; rewrite Z.sub_diag; apply Z.divide_0_r |].
    apply Z.mod_divide; auto; rewrite Zminus_mod, E, Z.sub_diag, Zmod_0_l; auto. }
  replace r with ((p - q) - (p - q - r)) by ring.
  apply Z.divide_sub_r; eapply Z.divide_trans; eauto; [apply Z.gcd_divide_r | apply Z.gcd_divide_l].
Qed.

(* Whole numbers, without a width. *)
Corollary separate_by_residue_exactly : forall p q m r, residue (p - q) m r -> r mod m <> 0 -> p <> q.
Proof.
  intros p q m r R N <-; unfold residue in R; rewrite Z.sub_diag in R; apply N.
  destruct (Z.eq_dec m 0) as [-> | M].
  - destruct R as [k R]; rewrite Zmod_0_r; lia.
  - apply Z.mod_divide; auto; destruct R as [k R]; exists (- k); lia.
Qed.

(* ---- intervals ---- *)

(* A difference that is never 0 and smaller than the width: wrapping does not bring the two together. *)
Theorem separate_by_interval : forall p q width low high,
  low <= p - q <= high -> (0 < low \/ high < 0) -> - width < low -> high < width -> p mod width <> q mod width.
Proof.
  intros p q width low high B S L H E.
  assert (W : 0 < width) by lia.
  assert (D : (width | p - q)).
  { apply Z.mod_divide; [lia |]; rewrite Zminus_mod, E, Z.sub_diag, Zmod_0_l; auto. }
  destruct D as [k D].
  assert (k < 1) by nia; assert (-1 < k) by nia; assert (k = 0) by lia; subst; lia.
Qed.

(* The range of a product is spanned by its corners. *)
Theorem corners : forall a b c d x y, a <= x <= b -> c <= y <= d ->
  Z.min (Z.min (a * c) (a * d)) (Z.min (b * c) (b * d)) <= x * y <=
  Z.max (Z.max (a * c) (a * d)) (Z.max (b * c) (b * d)).
Proof.
  intros a b c d x y X Y.
  assert (L : forall u v w z, v <= z <= w -> Z.min (u * v) (u * w) <= u * z <= Z.max (u * v) (u * w)).
  { intros u v w z H; destruct (Z.le_ge_cases 0 u); [rewrite Z.min_l, Z.max_r | rewrite Z.min_r, Z.max_l]; nia. }
  pose proof (L a c d y Y); pose proof (L b c d y Y); pose proof (L y a b x X).
  rewrite (Z.mul_comm y a), (Z.mul_comm y b), (Z.mul_comm y x) in *; lia.
Qed.

(* Steps of a loop that are larger than what else moves the position: iterations never meet. *)
Theorem separate_by_steps : forall step i j p q low high,
  i <> j -> low <= p <= high -> low <= q <= high -> high - low < Z.abs step ->
  step * i + p <> step * j + q.
Proof. intros step i j p q low high N P Q S E; nia. Qed.

(* ---- iterations that do not meet may run in any order ---- *)

Definition run_list (body : Z -> state -> state) (ks : list Z) (σ : state) : state :=
  fold_left (fun τ k => body k τ) ks σ.

Theorem any_order : forall body ks ks',
  Permutation ks ks' ->
  (forall j k σ, In j ks -> In k ks -> j <> k -> body j (body k σ) = body k (body j σ)) ->
  forall σ, run_list body ks σ = run_list body ks' σ.
Proof.
  unfold run_list; intros body ks ks' P; induction P; simpl; intros C σ.
  - auto.
  - apply IHP; intros; apply C; auto.
  - f_equal; destruct (Z.eq_dec x y) as [-> | N]; auto.
  - rewrite IHP1 by auto; apply IHP2; intros j k τ J K; apply C;
      apply (Permutation_in _ (Permutation_sym P1)); auto.
Qed.

(* For the body of a loop: no iteration loads or stores what another stores. *)
Theorem independent_iterations_commute : forall ρ x A ks ks'
  (no_flow : forall j k, In j ks -> In k ks -> j <> k -> apart (writes (bind x j ρ) A) (loads (bind x k ρ) A))
  (stores_apart : forall j k, In j ks -> In k ks -> j <> k -> apart (writes (bind x j ρ) A) (writes (bind x k ρ) A)),
  Permutation ks ks' ->
  forall σ, run_list (fun k => exec (bind x k ρ) A) ks σ = run_list (fun k => exec (bind x k ρ) A) ks' σ.
Proof.
  intros ρ x A ks ks' F S P; apply any_order; auto.
  intros j k σ J K N; symmetry; apply commute; auto.
Qed.
