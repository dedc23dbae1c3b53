//go:build kube136

package plugin

import (
	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Reference is the release of Kubernetes that the plugin is compiled with.
const Reference = outrank.V1_36

// placedGroup is nil in every decision. The feature gates of groups are alpha in v1.36; the library does not
// follow them there, and the plugin does not start with them.
type placedGroup struct{ away map[string][]fwk.PodInfo }

func (*placedGroup) on(preemption.View) map[string][]fwk.PodInfo { return nil }

// groupsCount reports whether groups of pods mean anything to the scheduler.
func (p *Plugin) groupsCount() bool { return false }

// rootUID is never called, because groups mean nothing.
func (p *Plugin) rootUID(*v1.Pod) (types.UID, bool) { return "", false }

// newer returns the metrics that v1.36 does not have: none here.
func newer() []prometheus.Collector { return nil }

// podDeleted is the event of a pod that is deleted. In v1.36 it has no kind of its own for pods on nodes.
var podDeleted = fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}
