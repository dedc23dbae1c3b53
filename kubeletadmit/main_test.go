package kubeletadmit_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain raises the number of cases per property; -rapid.checks on the
// command line overrides it.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "400"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}
