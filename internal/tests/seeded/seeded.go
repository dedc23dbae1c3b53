// Package seeded answers which cases the property tests of a package see. The package says how many; they are
// the same in every run, so that a commit is always judged alike. Short tests see fewer and smaller ones.
package seeded

import (
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
)

// Seed is the seed of all properties, unless the command line gives another.
const Seed = 1

// usual is the number of cases that the package asked [Run] for. It is 0 until Run is called.
var usual int

// fewest is the least number of cases in short tests: with fewer, some properties never meet a case that they
// are about.
const fewest = 24

// Run runs the tests of a package; TestMain ends with it. Each property sees the given number of cases, drawn
// from [Seed]. On the command line -rapid.checks changes the number, -rapid.seed the seed, and -rapid.seed=0
// draws new cases in every run. Short tests see two fifths of the cases, but at least 24 if there are that
// many. Run panics in a package without properties.
func Run(m *testing.M, checks int) {
	usual = checks
	if slices.Contains(os.Args, "-test.short=true") { // flags are not parsed yet
		checks = min(checks, max(checks*2/5, fewest)) * 5 // rapid divides it by five in short tests
	}
	for name, value := range map[string]int{"rapid.checks": checks, "rapid.seed": Seed} {
		// The value is set directly: flag.Set would mark the flag as given on the command line.
		if err := flag.Lookup(name).Value.Set(strconv.Itoa(value)); err != nil {
			panic(err)
		}
	}

	debug.SetGCPercent(400) // tests hold little memory, and it saves a third of their work
	os.Exit(m.Run())
}

// Sample returns few in a plain run. It returns all if the command line asks for more cases than the package
// does, as `.ci/run properties` does. Tests that go through tables use it to choose how many rows, or how
// large ones, they try.
func Sample(few, all int) int {
	if usual == 0 || testing.Short() || Checks() <= usual {
		return few
	}
	return all
}

// Checks returns how many cases each property sees. It is for tests that draw their cases themselves.
func Checks() int {
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		panic(err)
	}
	if testing.Short() {
		checks /= 5 // as rapid does in short tests
	}
	return checks
}

// AtLeast has the properties of one test see so many cases, unless the command line asks for a number of its own. It is
// for tests whose cases take less time than those of the rest of their package. The test must not be parallel.
func AtLeast(t *testing.T, cases int) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given || Checks() >= cases {
		return
	}

	set := flag.Lookup("rapid.checks").Value
	before := set.String()
	if testing.Short() {
		cases *= 5 // rapid divides it by five in short tests
	}
	if err := set.Set(strconv.Itoa(cases)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Set(before); err != nil {
			t.Error(err)
		}
	})
}
