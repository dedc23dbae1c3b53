// Package seeded answers which cases the property tests of a package see: as many as the
// package asks for, and the same ones in every run, so that a commit has one verdict. Short tests
// see fewer and smaller ones.
package seeded

import (
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
)

// Seed is what properties draw from if nothing else is asked for.
const Seed = 1

// usual is how many cases the package asks for, and 0 before [Run].
var usual int

// fewest is how many cases short tests see at least: with fewer, some property meets none of the
// cases that it is about.
const fewest = 24

// Run runs the tests of a package, as the end of its TestMain. Each property sees so many
// cases, those of [Seed]. On the command line -rapid.checks asks for more, -rapid.seed for
// others, and -rapid.seed=0 for others in every run. Short tests see two fifths of them, and at least
// 24 where the package asks for as many. It panics in a package that has no properties.
func Run(m *testing.M, checks int) {
	usual = checks
	if slices.Contains(os.Args, "-test.short=true") { // no flag is parsed yet
		checks = min(checks, max(checks*2/5, fewest)) * 5 // of which rapid takes a fifth
	}
	for name, value := range map[string]int{"rapid.checks": checks, "rapid.seed": Seed} {
		// Not flag.Set, after which a flag counts as given on the command line.
		if err := flag.Lookup(name).Value.Set(strconv.Itoa(value)); err != nil {
			panic(err)
		}
	}
	debug.SetGCPercent(400) // a third less work: tests hold little
	os.Exit(m.Run())
}

// Sample returns few for a plain run, and all where the command line asks for more cases than the package does, as
// `.ci/run properties` does: it is for tests that go through tables, and for the sizes of what they try.
func Sample(few, all int) int {
	if usual == 0 || testing.Short() || Checks() <= usual {
		return few
	}
	return all
}

// Checks returns how many cases each property sees, for a test that draws its cases itself.
func Checks() int {
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		panic(err)
	}
	if testing.Short() {
		checks /= 5 // as rapid does
	}
	return checks
}
