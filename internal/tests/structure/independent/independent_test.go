package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// top is the module's folder.
const top = "../../../.."

var readOnce = sync.OnceValues(func() (*sharing, error) { return read(top) })

// readAll returns what both sides reach, as a copy that a test may change.
func readAll(t *testing.T) *sharing {
	t.Helper()
	s, err := readOnce()
	require.NoError(t, err)
	c := *s
	return &c
}

// The book calls nothing of the engine, the engine nothing of the book, and what both call is listed
// with its judge.
func TestBookAndEngineAreIndependent(t *testing.T) {
	s := readAll(t)
	require.Greater(t, len(s.both()), 50, "the roots lead nowhere")
	for _, said := range s.problems() {
		assert.Fail(t, said)
	}
}

// Faults are planted in all functions that decide, in those that are named, or where it takes no time.
func TestAsked(t *testing.T) {
	s := readAll(t)
	all, err := s.asked(options{})
	require.NoError(t, err)
	quick, err := s.asked(options{quick: true})
	require.NoError(t, err)
	require.Greater(t, len(quick), 10)
	require.Greater(t, len(all), len(quick))

	named, err := s.asked(options{names: []string{"internal/apis.gceRegion"}})
	require.NoError(t, err)
	require.Len(t, named, 1)
	_, err = s.asked(options{names: []string{"internal/apis.nothing"}})
	require.ErrorContains(t, err, "0 of 1 names")
}

// build has the faults built that are no good, which takes some seconds: .ci/run planted does.
var build = flag.Bool("build", false, "build tests with faults that are no good, too")

// A fault that changes no answer is seen by nobody, one that cannot be built is an error, and so is
// one that ends the program before its judge begins.
func TestFaultsThatAreNoGood(t *testing.T) {
	s := readAll(t)
	one := func(name, plain, planted string) []entry {
		f := fault{name: name, judges: []judge{{name: "internal/apis.TestGCEHandle"}}, plain: plain, planted: planted, line: 7}
		return []entry{{name: name, decides: true, faults: []fault{f}}}
	}
	for _, test := range []struct {
		name, plain, planted string
		builds               bool
		want                 string
	}{
		{"internal/apis.nothing", "a", "b", false, "there is no internal/apis.nothing"},
		{"internal/apis.gceRegion", "len(parts) != 3", "parts", false, "cannot be built with faults"},
		{"internal/apis.takenOver", "EBS", `func() string { panic("at once") }()`, true, "internal/apis.TestGCEHandle does not begin with the fault"},
	} {
		if test.builds && !*build {
			continue
		}
		_, err := plantFaults(io.Discard, s, one(test.name, test.plain, test.planted))
		require.ErrorContains(t, err, test.want)
	}

	if !*build {
		return
	}
	var out bytes.Buffer
	unseen, err := plantFaults(&out, s, one("internal/apis.gceRegion", "len(parts) != 3", "3 != len(parts)"))
	require.NoError(t, err)
	assert.Equal(t, []string{"line 7: internal/apis.TestGCEHandle does not see the fault in internal/apis.gceRegion, where `len(parts) != 3` becomes `3 != len(parts)`"}, unseen)
	assert.Contains(t, out.String(), "1 trials, 1 faults unseen")
}

// What is wrong is said in a sentence that names the function and how it is reached.
func TestProblemsAreSentences(t *testing.T) {
	s := readAll(t)
	plain := s.entries
	at := func(entries []entry, name string) *entry {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == name })
		require.GreaterOrEqual(t, i, 0, name)
		return &entries[i]
	}
	for _, test := range []struct {
		name   string
		change func(entries []entry) []entry
		want   string
	}{
		{"not listed", func(es []entry) []entry {
			return slices.DeleteFunc(es, func(e entry) bool { return e.name == "resource.Name.Counted" })
		}, "the book and the engine both reach resource.Name.Counted, and " + listingFile + " does not list it: " + book.roots[0]},
		{"not reached", func(es []entry) []entry {
			return append(es, entry{name: "resource.Requirements.Max", says: "a thing"})
		}, "lists resource.Requirements.Max, and there is no such function"},
		{"reached by the engine alone", func(es []entry) []entry {
			return append(es, entry{name: "outrank.Pod.Tolerates", says: "a thing"})
		}, "lists outrank.Pod.Tolerates, which the book does not reach"},
		{"not in order", func(es []entry) []entry { slices.Reverse(es); return es }, "and the order is that of the names"},
		{"says nothing", func(es []entry) []entry { at(es, "outrank.NewKey").says = ""; return es }, "does not say what outrank.NewKey is for"},
		{"no fault", func(es []entry) []entry { at(es, "outrank.NewKey").faults = nil; return es }, "not so outrank.NewKey"},
		{"no judge", func(es []entry) []entry { at(es, "outrank.NewKey").faults[0].judges = nil; return es }, "names no judge for outrank.NewKey"},
		{"a judge that is no test", func(es []entry) []entry {
			at(es, "outrank.NewKey").faults[0].judges = []judge{{name: "outrank.TestNothing"}}
			return es
		}, "outrank.TestNothing, the judge of outrank.NewKey, is no test"},
		{"a judge that asks the engine", func(es []entry) []entry {
			at(es, "outrank.NewKey").faults[0].judges = []judge{{name: "outrank.TestPropertyReportedBelowZero"}}
			return es
		}, "outrank.TestPropertyReportedBelowZero, the judge of outrank.NewKey, mentions preemption/engine.NewSnapshot"},
		{"a judge that asks the book", func(es []entry) []entry {
			at(es, "outrank.NewKey").faults[0].judges = []judge{{name: "preemption.TestGroupOutcomes"}}
			return es
		}, "preemption.TestGroupOutcomes, the judge of outrank.NewKey, mentions preemption."},
		{"a judge inside the engine", func(es []entry) []entry {
			at(es, "outrank.NewKey").faults[0].judges = []judge{{name: "preemption/engine/internal/groups.TestPropertyQuorum"}}
			return es
		}, "the judge of outrank.NewKey, mentions preemption/engine/internal/groups."},
		{"a judge that asks what is built upon the engine", func(es []entry) []entry {
			at(es, "outrank.NewKey").faults[0].judges = []judge{{name: "preemption/scheduler/config.TestDefaultProfile"}}
			return es
		}, "the judge of outrank.NewKey, mentions preemption/scheduler/config."},
		{"a replay that asks both", func(es []entry) []entry {
			at(es, "outrank.NewKey").faults[0].judges = []judge{{"preemption/engine.TestPropertyBookAndEngine", true}}
			return es
		}, "and has to replay decisions by one of the two"},
		{"a fault of another function", func(es []entry) []entry {
			at(es, "outrank.NewKey").faults[0].plain = "nothing"
			return es
		}, "`nothing` stands 0 times in the source of outrank.NewKey"},
		{"a fault that is none", func(es []entry) []entry {
			f := &at(es, "outrank.NewKey").faults[0]
			f.planted = f.plain
			return es
		}, "the fault of outrank.NewKey changes nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := slices.Clone(plain)
			for i := range changed {
				changed[i].faults = slices.Clone(changed[i].faults)
			}
			s.entries = test.change(changed)
			assert.Contains(t, strings.Join(s.problems(), "\n"), test.want)
		})
	}
}

// The two sides are told apart also where one of them shares its folder with the words.
func TestStrays(t *testing.T) {
	s := readAll(t)
	shared := side{name: "the root", roots: []string{"outrank.NewKey"}}
	said := strays(engine, s.engine, shared)
	require.Len(t, said, 1)
	assert.Contains(t, said[0], "the engine reaches outrank.NewKey, which is the root's: preemption/engine.")
	assert.Empty(t, strays(book, s.book, engine))
	assert.Len(t, strays(book, s.book, book), len(book.roots), "all of the book is its own, and what is behind a stray is none")

	_, err := side{roots: []string{"preemption."}}.reached(&structure.Calls{})
	require.Error(t, err)
}

func TestListingsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"    judge a.TestB\n":         ":1: a line of no entry",
		"# fine\n\ndecide a.B\n":      `:3: "decide" is neither decides, text nor data`,
		"decides\n":                   ":1: want a kind and a name",
		"text a.B c\n":                ":1: want a kind and a name",
		"text a.B\n    fault `a` b\n": ":2: want two texts",
		"text a.B\n    fault a\n":     ":2: want two texts",
	} {
		at := filepath.Join(t.TempDir(), "shared.txt")
		require.NoError(t, os.WriteFile(at, []byte(text), 0o600))
		_, err := readListing(at)
		require.ErrorContains(t, err, want)
	}
	_, err := readListing("nowhere.txt")
	require.Error(t, err)
}

// A function may have several faults, and a fault several judges.
func TestSeveralFaults(t *testing.T) {
	at := filepath.Join(t.TempDir(), "shared.txt")
	require.NoError(t, os.WriteFile(at, []byte(`decides a.B
    what it
    is for
    judge a.TestB
    replay a.TestC
    fault `+"`x` `y`"+`
    fault `+"`u` `v`"+`
    judge a.TestD/e
    fault `+"`s` ``"+`
`), 0o600))
	got, err := readListing(at)
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, "what it is for", got[0].says)
	assert.Equal(t, []fault{
		{"a.B", []judge{{"a.TestB", false}, {"a.TestC", true}}, "x", "y", 6}, {"a.B 2", []judge{{"a.TestB", false}, {"a.TestC", true}}, "u", "v", 7}, {"a.B 3", []judge{{"a.TestD/e", false}}, "s", "", 9},
	}, got[0].faults)
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	ok, err := run(&out, readAll(t), options{})
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Regexp(t, `(?m)^resource\.Name\.Counted +resource\.TestName +\S+ > .* > resource\.Name\.Counted$`, out.String())
}
