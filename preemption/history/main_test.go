package history_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets every property see a few hundred cases; -rapid.checks asks for
// more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "300"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
