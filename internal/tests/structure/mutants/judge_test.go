package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// judged plants the mutants of the sample that a filter accepts, and judges them by the tests of the sample.
func judged(t *testing.T, s *stock, mutants []*mutant) map[string]string {
	t.Helper()
	c, err := newCourt(s.root, mutants, s.texts)
	require.NoError(t, err)
	t.Cleanup(c.close)
	own := stage{kind: byOwn, folder: sample}

	said := map[string]string{}
	for i, m := range mutants {
		v, err := c.judge([]stage{own}, i+1, "")
		require.NoError(t, err)
		said[m.key.function+": "+m.changed] = v.text() + ": " + v.sentence
	}
	var out bytes.Buffer
	c.tellStages(&out, true)
	require.Regexp(t, sample+` +a test of its package +\d+ s, runs the functions of \d+ mutants\n$`, out.String())
	return said
}

// One build has all mutants, also several of one function and in functions with labels, and each runs alone.
func TestJudge(t *testing.T) {
	s := stockOf(t, sample)
	var mutants []*mutant
	for _, m := range s.all {
		if s.accepted(m) {
			mutants = append(mutants, m)
		}
	}
	require.Greater(t, len(mutants), 30)
	said := judged(t, s, mutants)

	const byAdd = "caught by " + sample + ".TestAdd: "
	assert.Equal(t, byAdd+"[-1 3], want [3]", said["list.add: {}"])
	assert.Equal(t, byAdd+"[-1], want [3]", said["list.add: if n > 0 {"])
	assert.Equal(t, "survived: ", said["list.add: if n <= 0 {"])
	assert.Equal(t, "caught by "+sample+".TestFound: a row ends at 0", said["found: if false { continue rows }"])
	assert.Equal(t, "caught by "+sample+".TestNegated: true is not false", said["negated: var negated = func(ok bool) bool { return ok }"])
	assert.Equal(t, "survived: no test runs the function: ", said["text: func text(n int) string { return fmt.Sprint(\"n\", \" \", n-1) }"])
}

func TestFirstFailedAndSentence(t *testing.T) {
	for _, test := range []struct{ out, name, sentence string }{
		{"--- FAIL: TestA (0.0s)\n    a_test.go:3: [rapid] failed after 6 tests: a pod is gone\n", "TestA", "a pod is gone"},
		{"--- FAIL: TestA (0.0s)\n    --- FAIL: TestA/one (0.0s)\n        a_test.go:3: one\n--- FAIL: TestB (0.0s)\n", "TestA", "one"},
		{"--- FAIL: TestA (0.0s)\n    a_test.go:3: \n        \tError Trace:\tx\n        \tError:      \tNot equal: \n        \t  expected: 1\n        \t  actual  : 2\n", "TestA", "Not equal: expected: 1 actual : 2"},
		{"--- FAIL: TestA (0.0s)\n    a_test.go:3: [rapid] failed after 6 tests: (*T).FailNow() called\n    a_test.go:9:\n        \tError:      \tShould be true\n", "TestA", "Should be true"},
		{"--- FAIL: TestA (0.0s)\n    a_test.go:3: [rapid] flaky test, can not reproduce a failure\n        Traceback (<nil>):\n            <no error>\n        Original traceback (a pod is gone):\n", "TestA", "a pod is gone"},
		{"panic: test timed out after 1s\n\trunning tests:\n\t\tTestC (1s)\n", "TestC", "it does not end"},
		{"fatal error: runtime: out of memory\n\nx.TestD(0x1)\n", "TestD", "fatal error: runtime: out of memory"},
		{"killed\n", "a test", ""},
	} {
		sentence, at := firstSentence(test.out)
		assert.Equal(t, []string{test.name, test.sentence}, []string{firstFailed(test.out), sentence}, test.out)
		assert.Equal(t, test.sentence != "", at > 0)
	}
}

// Of all tests that fail each has its own sentence, and its own lines.
func TestEachFailed(t *testing.T) {
	const out = "--- FAIL: TestInvariantA (0.0s)\n    a_test.go:3: [rapid] failed after 6 tests: a pod is gone\n" +
		"--- FAIL: TestB (0.0s)\n    --- FAIL: TestB/one (0.0s)\n        a_test.go:3: [rapid] failed after 0 tests: one\nFAIL\n"
	assert.Equal(t, []broken{{"TestInvariantA", "a pod is gone", 2}, {"TestB", "one", 3}}, eachFailed(out))

	v := verdict{outcome: survived}
	v.fails(stage{kind: byInvariants, folder: "pdb", all: true}, out)
	assert.Equal(t, "caught by pdb.TestInvariantA", v.text())

	about := &topic{name: "ranks", promised: []string{"A"}}
	var said bytes.Buffer
	tellBroken(&said, about, v.broken)
	tellPromises(&said, []*mutant{{topic: about}, {topic: about}}, []verdict{v, {}})
	assert.Equal(t, "    * pdb.TestInvariantA, line 2: a pod is gone\n      pdb.TestB, line 3: one\n"+
		"ranks: 1 of 2 break an invariant whose name promises it\n", said.String())
}

// A reason holds for one change of one function, wherever it moves, and ends with it.
func TestReasons(t *testing.T) {
	s := stockOf(t, sample)
	read := func(text string) ([]*entry, error) {
		at := filepath.Join(t.TempDir(), "equivalent.txt")
		require.NoError(t, os.WriteFile(at, []byte(text), 0o600))
		return readReasons(at)
	}
	const second = sample + " found 2\n    plain  switch item {\n    mutant nothing\n    It is gone.\n"
	entries, err := read("# A comment.\n" + sample + " list.add\n    plain if n < 0 {\n    mutant if n <= 0 {\n    A nought\n    adds nothing.\n\n" + second)
	require.NoError(t, err)
	reasons, stale := s.reasonsFor(entries)
	assert.Equal(t, "A nought adds nothing.", reasons[entries[0].key])
	assert.Equal(t, []string{reasonsFile + ":8: there is no such mutant of " + sample + " found 2 any more: take the entry out"}, stale)

	for text, want := range map[string]string{
		"  plain x\n":                  ":1: a line of no entry",
		"one\n":                        ":1: want a folder, a function and perhaps a number",
		"a b c\n":                      ":1: strconv.Atoi",
		"a b\n  plain x\n  mutant y\n": ":1: want the line without the change",
		"a b\n  because\n":             ":1: want the line without the change",
	} {
		_, err := read(text)
		require.ErrorContains(t, err, want)
	}
}

// A mutant that is listed as equivalent although a test sees it is a failure, as is a survivor.
func TestTotal(t *testing.T) {
	for _, test := range []struct {
		of   []verdict
		want string
		ok   bool
	}{
		{[]verdict{{outcome: caught, kind: byOwn}, {outcome: equivalent}}, "2 mutants of 9: 1 caught (1 by a test of its package), 1 equivalent, 0 survived\n", true},
		{[]verdict{{outcome: survived}}, "1 mutants of 9: 0 caught (), 0 equivalent, 1 survived\n", false},
		{[]verdict{{outcome: unfounded, kind: byOwn}}, "1 are listed as equivalent, and a test sees them\n", false},
	} {
		var out bytes.Buffer
		assert.Equal(t, test.ok, total(&out, 9, test.of))
		assert.True(t, strings.HasSuffix(out.String(), test.want), out.String())
	}
}

// The invariants judge first, and no stage stands there twice.
func TestStagesOf(t *testing.T) {
	for _, folder := range []string{"pdb", book, engine, node} {
		stages := stagesOf(folder, false)
		assert.Equal(t, byInvariants, stages[0].kind)
		seen := map[stage]bool{}
		for _, s := range stages {
			assert.False(t, seen[s], "%v twice", s)
			seen[s] = true
		}
	}
	flags := stage{skip: "a", checks: 7}.flags(true, "b")
	assert.Equal(t, "-test.run . -test.failfast -test.skip a|b -rapid.nofailfile -rapid.shrinktime 500ms -rapid.checks 7", strings.Join(flags, " "))
	assert.NotContains(t, stage{}.flags(false, ""), "-test.skip")
}
