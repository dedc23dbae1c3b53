package engine_test

import (
	"testing"

	"github.com/outrank-go/outrank/internal/tests/seeded"
)

func TestMain(m *testing.M) { seeded.Run(m, 16) }
