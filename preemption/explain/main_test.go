package explain_test

import (
	"flag"
	"testing"

	"github.com/outrank-go/outrank/internal/tests/seeded"
)

// update writes what came out into the golden files.
var update = flag.Bool("update", false, "write golden files")

func TestMain(m *testing.M) { seeded.Run(m, 10) }
