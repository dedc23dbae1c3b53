//go:build kube136

package v136

import (
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/difftest"
)

// Each filter's hint says of each change what the hint of v1.36's plugin says (rules 5.4.21 to 5.4.33).
func TestHints(t *testing.T) {
	difftest.RunHints(t, differential.Hints{Release: outrank.V1_36, Pod: convert.Pod, Node: convert.Node, Storage: convert.StorageChange})
}
