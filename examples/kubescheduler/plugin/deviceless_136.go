//go:build kube136

package plugin

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// deviceDesk is nil in every decision. The filter of devices contains the allocator of v1.37, so that this plugin
// does not start with DRAPreemption.
type deviceDesk struct{}

// Nomination would hold the devices of a pod's nomination. Here it is always nil.
type Nomination struct{}

// deviceGates returns the error of a profile that asks for DRAPreemption.
func deviceGates() error {
	return errors.New("args: draPreemption: the plugin for v1.36 does not preempt for devices, the one for v1.37 does")
}

func newDeviceDesk(fwk.Handle, terms) (*deviceDesk, error) { return nil, nil }

func (p *Plugin) forDevices() fwk.Plugin { return p }

func (p *Plugin) viewFor(_ *v1.Pod, decide func(*engine.Snapshot) error) error {
	return p.process.state.view(decide)
}

func (*deviceDesk) pair(all *evaluators) (*pair, error)                   { return all.usual, nil }
func (*deviceDesk) wants(*v1.Pod) bool                                    { return false }
func (*deviceDesk) keep(*v1.Pod, Decision)                                {}
func (*deviceDesk) drop(types.UID)                                        {}
func (*deviceDesk) end(types.UID)                                         {}
func (*deviceDesk) has(types.UID) bool                                    { return false }
func (*deviceDesk) follow(*v1.Pod) error                                  { return nil }
func (*deviceDesk) changed(_, _ *v1.Pod)                                  {}
func (*deviceDesk) nominated(pod *outrank.Pod) *outrank.Pod               { return pod }
func (*deviceDesk) statuses(said []preemption.Status) []preemption.Status { return said }
func (*deviceDesk) nomination(*engine.Snapshot, *preemption.Plan) (*Nomination, error) {
	return nil, nil
}
