package joint_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain sets a hundred cases for every property. -rapid.checks asks for more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "100"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
