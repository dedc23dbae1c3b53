package explain_test

import (
	"flag"
	"os"
	"testing"
)

// update writes what came out into the golden files.
var update = flag.Bool("update", false, "write golden files")

// TestMain sets a few hundred cases for every property. -rapid.checks asks for more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "300"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
