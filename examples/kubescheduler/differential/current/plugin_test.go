package current

import (
	"testing"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/difftest"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

// A scheduler with plugin Outrank in place of DefaultPreemption does the same as the stock one.
func TestPlugin(t *testing.T) {
	difftest.RunPlugin(t, Harness, differential.Instead{Name: plugin.Name, Make: plugin.Factory(plugin.Options{})})
}

// So it does where plugins of others take part.
func TestForeign(t *testing.T) {
	difftest.RunForeign(t, Harness, differential.Instead{Name: plugin.Name, Make: plugin.Factory(plugin.Options{})})
}
