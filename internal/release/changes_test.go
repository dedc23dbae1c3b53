package release

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// value returns a rule of a release by its name.
func value(r Release, rule string) bool { return reflect.ValueOf(Of(r)).FieldByName(rule).Bool() }

// chapters are the numbers in that of a rule.
func chapters(c change) (numbers []int) {
	for part := range strings.SplitSeq(c.Number, ".") {
		n, _ := strconv.Atoi(part)
		numbers = append(numbers, n)
	}
	return numbers
}

// Every rule has a row, and a row says from which release on and by which gate its rule
// holds.
func TestChangesAreTheRules(t *testing.T) {
	rows := map[string]change{}
	numbers := map[string]bool{}
	for i, c := range changes {
		assert.False(t, numbers[c.Number], "two rows for rule %s", c.Number)
		if i > 0 {
			assert.Negative(t, cmp.Or(cmp.Compare(changes[i-1].From, c.From), slices.Compare(chapters(changes[i-1]), chapters(c))), "order of %s", c.Number)
		}
		numbers[c.Number] = true
		assert.NotEmpty(t, c.Before, c.Number)
		assert.NotEmpty(t, c.After, c.Number)
		if c.Rule != "" {
			rows[c.Rule] = c
		}
	}
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Rules]()) {
		if !f.Anonymous {
			names = append(names, f.Name)
		}
	}
	require.Len(t, rows, len(names), "a row without a rule")
	for _, name := range names {
		row, ok := rows[name]
		require.True(t, ok, "%s has no row", name)
		for _, r := range All() {
			on := row.Gate == "" || r.GateStates()[row.Gate]
			assert.Equal(t, r >= row.From && on, value(r, name), "%s in %v", name, r)
			for gate := range r.GateStates() {
				flipped, err := r.With(map[string]bool{gate: !r.GateStates()[gate]})
				if err != nil {
					continue
				}
				assert.Equal(t, gate == row.Gate, value(flipped, name) != value(r, name), "%s with %v", name, flipped)
			}
		}
	}
}

// The document has the table of the changes, and names the gates that can be set. That
// each number stands in a RULES.md is for the tests of internal/tests/rules.
func TestTableOfChanges(t *testing.T) {
	text, err := os.ReadFile("../../.github/RELEASES.md")
	require.NoError(t, err)
	want := table()
	assert.Contains(t, string(text), want, "the table in .github/RELEASES.md has to be:\n%s", want)
	for _, r := range All() {
		for _, gate := range settable(r) {
			assert.Contains(t, string(text), "`"+gate+"`")
		}
	}
}

// table is what the document has of the changes.
func table() string {
	var b strings.Builder
	b.WriteString("| rule | from | before | after | gate |\n|---|---|---|---|---|\n")
	for _, c := range changes {
		gate := ""
		if c.Gate != "" {
			gate = "`" + c.Gate + "`"
		}
		fmt.Fprintf(&b, "| %s | %v | %s | %s | %s |\n", c.Number, c.From, c.Before, c.After, gate)
	}
	return b.String()
}

func TestGatesAreConsistent(t *testing.T) {
	names := map[string]bool{}
	for _, g := range gates {
		assert.False(t, names[g.name], g.name)
		names[g.name] = true
		assert.NotEmpty(t, g.in, g.name)
	}
	assert.LessOrEqual(t, gateShift+len(gates), 64)
	assert.Contains(t, All(), Default)
	assert.Zero(t, testing.AllocsPerRun(10, func() { Of(V1_37); Of(0) }))
	unknown := Release(5)
	assert.Equal(t, Of(Default), Of(unknown))
}

// settable lists the gates of a release whose both settings are followed, by name.
func settable(r Release) []string {
	var names []string
	for i := range gates {
		if gates[i].settable(r) {
			names = append(names, gates[i].name)
		}
	}
	slices.Sort(names)
	return names
}
