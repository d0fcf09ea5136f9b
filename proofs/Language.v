(* White's language: syntax, meaning, and how loops run.

   The first file of the catalogue; everything else stands on it. Source: Laurie White, "A Hierarchical Method of
   Performing Global Optimizations" (1990), chapter 3. Integers are the mathematical ones.

   A loop index is not a variable of the memory: it lives in an environment, is read like a variable, and cannot be
   assigned. White defines a loop by putting constants for its index into the body; `loop_as_printed` shows that this
   is the same thing. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
Open Scope Z_scope.

(* ---- syntax (3.1) ---- *)

Definition name := string.

Inductive operator := Add | Sub | Mul | Div | Mod | Min | Max.
Inductive relation := Less | AtMost | Equal | Unequal | AtLeast | Greater.

Inductive expr :=
  | Num (n : Z)
  | Var (x : name)
  | Elem (a : name) (i : expr)
  | Bin (o : operator) (s t : expr)
  | Pick (b : bexp) (s t : expr)
with bexp :=
  | Truth (p : bool)
  | Rel (r : relation) (s t : expr)
  | Not (b : bexp)
  | Within (s lo hi : expr).

(* What is on the left of an assignment. *)
Inductive target := Simple (x : name) | Indexed (a : name) (i : expr).

Inductive stat :=
  | Null
  | Assign (v : target) (s : expr)
  | Seq (A B : stat)
  | If (b : bexp) (A B : stat)
  | For (x : name) (lo hi : expr) (A : stat).

Scheme expr_mut := Induction for expr Sort Prop with bexp_mut := Induction for bexp Sort Prop.
Combined Scheme expr_bexp_ind from expr_mut, bexp_mut.

(* ---- states (3.2): what every location holds ---- *)

Inductive loc := Scalar (x : name) | Cell (a : name) (i : Z).

Definition loc_eq (l m : loc) : {l = m} + {l <> m}.
Proof. decide equality; auto using string_dec, Z.eq_dec. Defined.

Definition state := loc -> Z.

Definition set (l : loc) (n : Z) (σ : state) : state := fun m => if loc_eq l m then n else σ m.

(* The indices of the loops around a place. *)
Definition env := name -> option Z.
Definition nowhere : env := fun _ => None.
Definition bind (x : name) (n : Z) (ρ : env) : env := fun y => if string_dec x y then Some n else ρ y.

(* ---- meaning (3.5) ---- *)

Definition operate (o : operator) : Z -> Z -> Z :=
  match o with
  | Add => Z.add | Sub => Z.sub | Mul => Z.mul | Div => Z.div | Mod => Z.modulo | Min => Z.min | Max => Z.max
  end.

Definition relate (r : relation) : Z -> Z -> bool :=
  match r with
  | Less => Z.ltb | AtMost => Z.leb | Equal => Z.eqb
  | Unequal => fun m n => negb (m =? n) | AtLeast => Z.geb | Greater => Z.gtb
  end.

Fixpoint eval (ρ : env) (σ : state) (s : expr) : Z :=
  match s with
  | Num n => n
  | Var x => match ρ x with Some n => n | None => σ (Scalar x) end
  | Elem a i => σ (Cell a (eval ρ σ i))
  | Bin o s t => operate o (eval ρ σ s) (eval ρ σ t)
  | Pick b s t => if holds ρ σ b then eval ρ σ s else eval ρ σ t
  end
with holds (ρ : env) (σ : state) (b : bexp) : bool :=
  match b with
  | Truth p => p
  | Rel r s t => relate r (eval ρ σ s) (eval ρ σ t)
  | Not b => negb (holds ρ σ b)
  | Within s lo hi => (eval ρ σ lo <=? eval ρ σ s) && (eval ρ σ s <=? eval ρ σ hi)
  end.

Definition locate (ρ : env) (σ : state) (v : target) : loc :=
  match v with Simple x => Scalar x | Indexed a i => Cell a (eval ρ σ i) end.

(* One body after the other: first, first + 1, ..., as many as `count`. *)
Fixpoint run (body : Z -> state -> state) (first : Z) (count : nat) (σ : state) : state :=
  match count with O => σ | S n => run body (first + 1) n (body first σ) end.

Definition trips (lo hi : Z) : nat := Z.to_nat (hi - lo + 1).

Fixpoint exec (ρ : env) (A : stat) (σ : state) : state :=
  match A with
  | Null => σ
  | Assign v s => set (locate ρ σ v) (eval ρ σ s) σ
  | Seq A B => exec ρ B (exec ρ A σ)
  | If b A B => if holds ρ σ b then exec ρ A σ else exec ρ B σ
  | For x lo hi A =>
      run (fun k => exec (bind x k ρ) A) (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi)) σ
  end.

Lemma exec_for : forall ρ x lo hi A σ, exec ρ (For x lo hi A) σ =
  run (fun k => exec (bind x k ρ) A) (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi)) σ.
Proof. reflexivity. Qed.

Lemma exec_seq : forall ρ A B σ, exec ρ (Seq A B) σ = exec ρ B (exec ρ A σ).
Proof. reflexivity. Qed.

(* Two statements are equal at a place: the same meaning in all states. *)
Definition equal (ρ : env) (A B : stat) : Prop := forall σ, exec ρ A σ = exec ρ B σ.

(* ---- states and environments ---- *)

Lemma set_same : forall l n σ, set l n σ l = n.
Proof. intros; unfold set; destruct (loc_eq l l); congruence. Qed.

Lemma set_other : forall l m n σ, l <> m -> set l n σ m = σ m.
Proof. intros; unfold set; destruct (loc_eq l m); congruence. Qed.

Lemma set_twice : forall l m n σ, set l n (set l m σ) = set l n σ.
Proof. intros; extensionality k; unfold set; destruct (loc_eq l k); auto. Qed.

Lemma set_own : forall l σ, set l (σ l) σ = σ.
Proof. intros; extensionality k; unfold set; destruct (loc_eq l k); congruence. Qed.

(* Lemma 3.6.1 *)
Lemma set_commute : forall l m n p σ, l <> m -> set l n (set m p σ) = set m p (set l n σ).
Proof. intros; extensionality k; unfold set; destruct (loc_eq l k), (loc_eq m k); congruence. Qed.

Lemma bind_same : forall x n ρ, bind x n ρ x = Some n.
Proof. intros; unfold bind; destruct (string_dec x x); congruence. Qed.

Lemma bind_other : forall x y n ρ, x <> y -> bind x n ρ y = ρ y.
Proof. intros; unfold bind; destruct (string_dec x y); congruence. Qed.

Lemma bind_twice : forall x m n ρ, bind x n (bind x m ρ) = bind x n ρ.
Proof. intros; extensionality y; unfold bind; destruct (string_dec x y); auto. Qed.

Lemma bind_commute : forall x y m n ρ, x <> y -> bind x m (bind y n ρ) = bind y n (bind x m ρ).
Proof. intros; extensionality z; unfold bind; destruct (string_dec x z), (string_dec y z); congruence. Qed.

(* Values are integers, which can be compared; so a case distinction on any proposition is allowed for them. *)
Lemma by_cases : forall (P : Prop) (m n : Z), (P -> m = n) -> (~ P -> m = n) -> m = n.
Proof. intros P m n Y N; destruct (Z.eq_dec m n); [auto |]. apply N; intro p; auto. Qed.

(* ---- how loops run ---- *)

Lemma run_one_more : forall f count first σ,
  run f first (S count) σ = f (first + Z.of_nat count) (run f first count σ).
Proof.
  induction count; intros; [simpl; f_equal; lia |].
  change (run f first (S (S count)) σ) with (run f (first + 1) (S count) (f first σ)).
  rewrite IHcount; simpl; f_equal; lia.
Qed.

Lemma run_app : forall f m n first σ,
  run f first (m + n) σ = run f (first + Z.of_nat m) n (run f first m σ).
Proof.
  induction m; intros; simpl run; [f_equal; lia |].
  simpl plus; simpl run; rewrite IHm; f_equal; lia.
Qed.

Lemma run_ext : forall f g count first σ,
  (forall k τ, first <= k < first + Z.of_nat count -> f k τ = g k τ) ->
  run f first count σ = run g first count σ.
Proof.
  induction count; intros first σ E; simpl; auto.
  rewrite E by lia; apply IHcount; intros; apply E; lia.
Qed.

Lemma run_keeps : forall (I : state -> Prop) f count first σ,
  (forall k τ, first <= k < first + Z.of_nat count -> I τ -> I (f k τ)) -> I σ -> I (run f first count σ).
Proof.
  induction count; intros first σ K H; simpl; auto.
  apply IHcount; [intros; apply K; auto; lia | apply K; auto; lia].
Qed.

(* Two runs in step stay in a relation that every pair of bodies keeps. *)
Lemma run_relates : forall (R : state -> state -> Prop) f g count first σ τ,
  (forall k α β, first <= k < first + Z.of_nat count -> R α β -> R (f k α) (g k β)) ->
  R σ τ -> R (run f first count σ) (run g first count τ).
Proof.
  induction count; intros first σ τ K H; simpl; auto.
  apply IHcount; [intros; apply K; auto; lia | apply K; auto; lia].
Qed.

Lemma run_nothing : forall f count first σ,
  (forall k τ, first <= k < first + Z.of_nat count -> f k τ = τ) -> run f first count σ = σ.
Proof.
  intros; apply (run_keeps (fun τ => τ = σ)); auto.
  intros k τ K ->; auto.
Qed.

Lemma run_shift : forall f d count first σ,
  run f (first + d) count σ = run (fun k => f (k + d)) first count σ.
Proof.
  induction count; intros; simpl; auto.
  replace (first + d + 1) with ((first + 1) + d) by lia; apply IHcount.
Qed.

Lemma trips_none : forall lo hi, hi < lo -> trips lo hi = O.
Proof. unfold trips; intros; lia. Qed.

Lemma trips_first : forall lo hi, lo <= hi -> trips lo hi = S (trips (lo + 1) hi).
Proof. unfold trips; intros; lia. Qed.

Lemma trips_last : forall lo hi, lo <= hi -> trips lo hi = S (trips lo (hi - 1)).
Proof. unfold trips; intros; lia. Qed.

Lemma trips_in : forall lo hi k, lo <= k < lo + Z.of_nat (trips lo hi) <-> lo <= k <= hi.
Proof. unfold trips; intros; lia. Qed.

Lemma trips_split : forall lo mid hi, lo - 1 <= mid <= hi ->
  trips lo hi = (trips lo mid + trips (mid + 1) hi)%nat.
Proof. unfold trips; intros; lia. Qed.

(* A loop cut in two at any point between its bounds. *)
Lemma run_split : forall f lo mid hi σ, lo - 1 <= mid <= hi ->
  run f lo (trips lo hi) σ = run f (mid + 1) (trips (mid + 1) hi) (run f lo (trips lo mid) σ).
Proof.
  intros; rewrite (trips_split lo mid hi) by lia; rewrite run_app; f_equal; unfold trips; lia.
Qed.

(* ---- equality at a place is a congruence ---- *)

Lemma equal_refl : forall ρ A, equal ρ A A.
Proof. intros ρ A σ; auto. Qed.

Lemma equal_sym : forall ρ A B, equal ρ A B -> equal ρ B A.
Proof. intros ρ A B E σ; auto. Qed.

Lemma equal_trans : forall ρ A B C, equal ρ A B -> equal ρ B C -> equal ρ A C.
Proof. intros ρ A B C E F σ; rewrite E; auto. Qed.

Lemma equal_seq : forall ρ A A' B B', equal ρ A A' -> equal ρ B B' -> equal ρ (Seq A B) (Seq A' B').
Proof. intros ρ A A' B B' E F σ; simpl; rewrite E, F; auto. Qed.

Lemma equal_if : forall ρ b A A' B B', equal ρ A A' -> equal ρ B B' -> equal ρ (If b A B) (If b A' B').
Proof. intros ρ b A A' B B' E F σ; simpl; destruct (holds ρ σ b); auto. Qed.

(* k is an index that the loop reaches from some state. *)
Definition reached (ρ : env) (lo hi : expr) (k : Z) : Prop :=
  exists σ, eval ρ σ lo <= k <= eval ρ σ hi.

(* Inside a loop it is enough to be equal for the indices that the loop reaches. *)
Lemma equal_for : forall ρ x lo hi A A',
  (forall k, reached ρ lo hi k -> equal (bind x k ρ) A A') -> equal ρ (For x lo hi A) (For x lo hi A').
Proof.
  intros ρ x lo hi A A' E σ; simpl; apply run_ext.
  intros k τ K; apply E; exists σ; apply trips_in; auto.
Qed.

Lemma seq_assoc : forall ρ A B C, equal ρ (Seq (Seq A B) C) (Seq A (Seq B C)).
Proof. intros ρ A B C σ; auto. Qed.

Lemma seq_null_left : forall ρ A, equal ρ (Seq Null A) A.
Proof. intros ρ A σ; auto. Qed.

Lemma seq_null_right : forall ρ A, equal ρ (Seq A Null) A.
Proof. intros ρ A σ; auto. Qed.
