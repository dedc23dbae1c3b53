// Package dafny answers: what does a definition that Dafny has checked decide about a case? It reads the
// definitions of .dfy files (datatypes, functions and predicates) and carries them out, so that those that are
// proven are those that decide. Dafny itself is not needed for that.
//
// It knows the part of the language that the model in internal/proof is written in: integers, reals, booleans,
// sequences, sets, maps, tuples, datatypes, functions as values, if, match, let, and quantifiers and sets over the
// elements of a collection. Lemmas are left out, and so are the clauses of functions (requires, ensures,
// decreases), which must not hold braces. Anything else is an error that names file and line.
//
// Types are not checked, as Dafny does that. An integer is one of 64 bits; a sum or product beyond that is an
// error.
package dafny
