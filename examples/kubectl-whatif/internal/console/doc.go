// Package console writes text for a person: lines and tables that keep to the width of a
// terminal, in colour where that is wanted, of names that come from elsewhere and are not
// to be trusted. Documents for programs are written here, too.
//
// Widths are those that terminals give to characters: two columns for most of those of
// East Asia and for emoji, none for accents that sit on another character.
package console
