package explain_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

// obstacles is a question about a node with up to three labels, ports and taints in the way, and what a report
// has to name of each kind, in its order.
type obstacles struct {
	q                     explain.Question
	labels, ports, taints []string
}

// drawObstacles draws a question. Of each kind some things are in order, and named nowhere.
func drawObstacles(t *rapid.T) *obstacles {
	node := &outrank.Node{Name: "n1", Labels: map[string]string{}, Allocatable: resource.MustList("pods", "110")}
	pod := &outrank.Pod{Name: "asks", NodeSelector: map[string]string{}, Containers: make([]outrank.Container, 1)}
	o := &obstacles{q: explain.Question{Node: node, Pod: pod, Most: rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "most")}}
	for i := range 3 {
		key := fmt.Sprint("key", i)
		pod.NodeSelector[key] = "wanted"
		switch rapid.IntRange(0, 2).Draw(t, "label") {
		case 1:
			node.Labels[key] = "other"
			o.labels = append(o.labels, key+" is other")
		case 2:
			o.labels = append(o.labels, key+" is not there")
		default:
			node.Labels[key] = "wanted"
		}

		port := outrank.Port{HostPort: int32(8000 + i)}
		pod.Containers[0].Ports = append(pod.Containers[0].Ports, port)
		for j := range rapid.IntRange(0, 2).Draw(t, "holders") {
			holder := &outrank.Pod{Name: fmt.Sprint("holds", i, "-", j), Containers: []outrank.Container{{Ports: []outrank.Port{port}}}}
			o.q.Active = append(o.q.Active, holder)
			if j == 0 {
				o.ports = append(o.ports, fmt.Sprint(port.HostPort, " by default/", holder.Name))
			}
		}
		o.drawTaint(t, key)
	}
	return o
}

// drawTaint adds a taint that is tolerated, keeps nobody out who runs, or is in the way.
func (o *obstacles) drawTaint(t *rapid.T, key string) {
	taint := outrank.Taint{Key: key, Value: "v", Effect: outrank.NoExecute}
	switch rapid.IntRange(0, 2).Draw(t, "taint") {
	case 1:
		taint.Effect = outrank.NoSchedule
	case 2:
		o.q.Pod.Tolerations = append(o.q.Pod.Tolerations, outrank.Toleration{Key: key, Operator: outrank.TolerationExists})
	default:
		o.taints = append(o.taints, key)
	}
	o.q.Node.Taints = append(o.q.Node.Taints, taint)
}

// judge compares the names of one kind with those that there are, as far as the list goes.
func (o *obstacles) judge(t *rapid.T, want, got []string, more int) {
	most := o.q.Most
	if most == 0 {
		most = 10
	}
	shown := want[:min(most, len(want))]
	require.Equal(t, append([]string{}, shown...), append([]string{}, got...))
	require.Equal(t, len(want)-len(shown), more, "things that are left out")
}

// Each label, port and taint that is in the way is named with what there is in its place, and no other; a list
// that is cut says how many are missing.
func TestPropertyWhatIsInTheWayIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObstacles(t)
		r, err := explain.Ask(context.Background(), o.q)
		require.NoError(t, err)
		seen := 0
		for i := range r.Failures {
			f := &r.Failures[i]
			var got []string
			switch f.Check.Predicate {
			case kubeletadmit.NodeAffinity:
				for _, l := range f.Labels {
					require.Equal(t, "wanted", l.Value)
					if l.Have == nil {
						got = append(got, l.Key+" is not there")
					} else {
						got = append(got, l.Key+" is "+*l.Have)
					}
				}
				o.judge(t, o.labels, got, f.More)
			case kubeletadmit.NodePorts:
				for _, p := range f.Ports {
					got = append(got, fmt.Sprint(p.HostPort, " by ", p.Holder.Key))
				}
				o.judge(t, o.ports, got, f.More)
			case kubeletadmit.TaintToleration:
				for _, taint := range f.Taints {
					got = append(got, taint.Key)
				}
				o.judge(t, o.taints, got, f.More)
			default:
				continue
			}
			seen++
		}
		want := 0
		for _, list := range [][]string{o.labels, o.ports, o.taints} {
			want += min(1, len(list))
		}
		require.Equal(t, want, seen, "kinds of obstacles: %v %v %v", o.labels, o.ports, o.taints)
	})
}
