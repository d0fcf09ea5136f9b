(* The catalogue: what is proved, printed by the proof checker itself.

   For each lemma that licenses a move, the names of its hypotheses, read off its statement, are compared with the
   clauses of the theorem in the optimizer that names the lemma. What follows `beyond` are the clauses that have no
   counterpart here, because they are about what White's language does not have: memory with ends, numbers that wrap,
   options of a move. *)

From Coq Require Import String List.
From Hops Require Import Language Footprint Substitution Statements Conditionals Loops Spans Apart Lanes Values Stages Machine Printed.
Open Scope string_scope.

(* All that is proved here and not only used on the way; nothing of it may stand on an axiom but functional
   extensionality, which the script sees to. *)
Definition licenses :=
  (interchange_equal, interchange, interchange_updates, interchange_with_substitution,
   interchange_with_backward_substitution, backward_substitution_for_statements,
   compression_of_assignments, compression_of_nullable, compression,
   absorption_before, absorption_after, absorption_with_substitution, if_splitting, if_splitting_other_first,
   if_of_known_condition, if_of_nullable_arms, if_of_equal_arms, if_conversion, branching,
   loop_elimination, single_iteration, loop_of_nullable_body, unroll_last, unroll_first, unroll_tested, full_unrolling,
   peeling, loop_in_parts, index_set_splitting,
   strip_mining, tiling, loop_joining, loop_splitting, loop_interchange, code_motion, unswitching,
   loop_conditional_joining, condition_joining, loop_cutting, monotone_cut,
   iterations_in_any_order, iterations_in_lanes, places_change_no_value, code_motion_under_guard,
   table_of_a_column, table_of_numbers, computed_at).

Definition reasons :=
  (loop_as_printed, substitute, unset_stays, loaded_decides, idempotent_if_apart, own_value_is_nullable, equal_for,
   at_least_is_span, greater_is_span, at_most_is_span, less_is_span, equal_is_span, within_is_span, search_finds,
   arrays_apart, elements_apart, names_apart, residue_sum, residue_product, separate_by_residue,
   separate_by_residue_exactly, separate_by_interval, corners, separate_by_steps, any_order,
   independent_iterations_commute, equals_for_equals, row_means_its_body, one_polynomial,
   (counter_never_wraps, successor_fits, at_most_as_bound, above_as_bound, naive_successor_wraps, join_at_most_machine,
    mean_without_overflow, strip_bounds_fit)).

Definition counterexamples :=
  (printed_4_1_4_false, printed_3_5_4_no_congruence, printed_5_4_1_false, printed_4_1_6_too_strong,
   printed_4_1_6_false, printed_4_1_4_captures, printed_5_1_1_false, printed_5_2_2_false, printed_5_1_1_captures,
   interchange_needs_sets_apart, printed_5_3_1_too_strong, one_iteration_is_not_none).

Print Assumptions licenses.
Print Assumptions reasons.
Print Assumptions counterexamples.

Ltac clauses :=
  repeat match reverse goal with
         | H : ?P |- _ => match type of P with Prop => idtac "  clause" H; clear H end
         end.

Ltac entries l :=
  match l with
  | (?rest, ?lemma) => entries rest; entries lemma
  | ?lemma =>
      idtac "lemma" lemma;
      let T := type of lemma in assert_fails (assert T; [intros; clauses; fail |])
  end.

Goal True. let l := eval unfold licenses in licenses in entries l. Abort.
