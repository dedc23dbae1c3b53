// Package console writes text for a person: lines and tables that fit the width of a terminal, coloured if
// wanted, with names that come from outside and are not trusted. It also writes documents for programs.
//
// Widths are counted as terminals do: two columns for most East Asian characters and for emoji, none for accents that
// combine with another character.
package console
