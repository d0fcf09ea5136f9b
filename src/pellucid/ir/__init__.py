"""The core language: types, facts, the operator table, expressions, nests, their text and their meaning."""
