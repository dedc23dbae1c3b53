// Package parts holds single functions of the library to the functions of Kubernetes that
// they follow, over random objects.
package parts

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	clock "k8s.io/utils/clock"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of pods and nodes
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

var (
	cases = flag.Int("cases", 5000, "how many objects are drawn")
	seed  = flag.Uint64("seed", 1, "the first seed")
)

type object = map[string]any

// draw is one source of random objects.
type draw struct{ *rand.Rand }

func (d draw) pick(all ...string) string { return all[d.IntN(len(all))] }

// both reads an object into both kinds of plain types.
func both(t *testing.T, o object, theirs, ours any) string {
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, theirs), "%s", text)
	require.NoError(t, json.Unmarshal(text, ours), "%s", text)
	return string(text)
}

// requirement draws an expression that an API server lets in, many of which cannot be read.
func (d draw) requirement() object {
	values := func(n int) (all []string) {
		for range n {
			all = append(all, d.pick("0", "1", "5", "05", "x", "", "-1", "+3", "-0", " 1", "1 ", "1.", "a b", "9223372036854775807", "9223372036854775808", "-9223372036854775808"))
		}
		return all
	}
	r := object{"key": d.pick("cores", "disk"), "operator": d.pick("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")}
	switch r["operator"] {
	case "In", "NotIn":
		r["values"] = values(1 + d.IntN(3))
	case "Gt", "Lt":
		r["values"] = values(1)
	}
	return r
}

func (d draw) term() object {
	t := object{"matchExpressions": []object{d.requirement()}}
	if d.IntN(2) == 0 {
		t["matchExpressions"] = []object{d.requirement(), d.requirement()}
	}
	if d.IntN(4) == 0 {
		t["matchFields"] = []object{{"key": "metadata.name", "operator": d.pick("In", "NotIn"), "values": []string{d.pick("n0", "n1")}}}
	}
	return t
}

// Required terms match the same nodes, and preferred ones can be read or not, as nodeaffinity
// says (rules 7.5.8 and 27.1.7).
func TestNodeTerms(t *testing.T) {
	fits, unread := 0, 0
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	for i := range *cases {
		d := draw{rand.New(rand.NewPCG(*seed, uint64(i)))}
		preferred := []object{{"weight": 1 + d.IntN(100), "preference": d.term()}}
		affinity := object{"preferredDuringSchedulingIgnoredDuringExecution": preferred}
		if d.IntN(4) > 0 {
			affinity["requiredDuringSchedulingIgnoredDuringExecution"] = object{"nodeSelectorTerms": []object{d.term(), d.term()}}
		}
		var theirs corev1.Pod
		ours := &outrank.Pod{}
		text := both(t, object{
			"metadata": object{"name": "p", "namespace": "default", "uid": "u"},
			"spec":     object{"containers": []object{{"name": "c"}}, "affinity": object{"nodeAffinity": affinity}},
		}, &theirs, ours)
		c := &outrank.Cluster{}
		var want []string
		for n := range 3 {
			labels := object{}
			for _, key := range []string{"cores", "disk"} {
				if d.IntN(4) > 0 {
					labels[key] = d.pick("0", "1", "5", "08", "x", "", "9223372036854775807", "9223372036854775808")
				}
			}
			var node corev1.Node
			own := &outrank.Node{}
			text += "\n" + both(t, object{"metadata": object{"name": fmt.Sprint("n", n), "labels": labels}, "status": object{"allocatable": object{"pods": "9"}}}, &node, own)
			c.Nodes = append(c.Nodes, own)
			if ok, _ := nodeaffinity.GetRequiredNodeAffinity(&theirs).Match(&node); ok {
				want = append(want, node.Name)
			}
		}
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		nodes, err := eval.Feasible(t.Context(), snap, ours)
		require.NoError(t, err)
		var got []string
		for _, n := range nodes {
			got = append(got, n.Name)
		}
		require.Equal(t, want, got, text)
		_, wantErr := nodeaffinity.NewPreferredSchedulingTerms(theirs.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		_, gotErr := new(score.Scorer).Score(t.Context(), snap, ours, c.Nodes)
		require.Equal(t, wantErr == nil, gotErr == nil, "the reference: %v, outrank: %v\n%s", wantErr, gotErr, text)
		if len(got) > 0 {
			fits++
		}
		if gotErr != nil {
			unread++
		}
	}
	t.Logf("%d pods from seed %d: %d have a node, %d preferences cannot be read", *cases, *seed, fits, unread)
}

// list draws amounts; resources that a pod as a whole cannot ask for only where they are let in.
func (d draw) list(whole bool) object {
	l := object{}
	for range d.IntN(4) {
		name := d.pick("cpu", "memory", "hugepages-2Mi", "ephemeral-storage", "example.com/x")
		if whole && (name == "ephemeral-storage" || name == "example.com/x") {
			name = "cpu"
		}
		l[name] = d.pick("0", "0", "100m", "1", "2", "1500m", "64Mi", "1Gi")
	}
	return l
}

// What a pod takes of quotas is what the API server's evaluator counts (group 20.3), also
// while its status says something else.
func TestQuotaUsage(t *testing.T) {
	for i := range *cases {
		d := draw{rand.New(rand.NewPCG(*seed, uint64(i)))}
		var containers, inits, statuses []object
		for c := range 1 + d.IntN(3) {
			name := fmt.Sprint("c", c)
			containers = append(containers, object{"name": name, "resources": object{"requests": d.list(false), "limits": d.list(false)}})
			if d.IntN(3) == 0 {
				statuses = append(statuses, object{"name": name, "allocatedResources": d.list(false), "resources": object{"requests": d.list(false)}})
			}
		}
		for c := range d.IntN(2) {
			inits = append(inits, object{"name": fmt.Sprint("i", c), "resources": object{"requests": d.list(false), "limits": d.list(false)}})
		}
		spec := object{"nodeName": "n", "containers": containers, "initContainers": inits, "overhead": d.list(false)}
		status := object{"containerStatuses": statuses}
		if d.IntN(2) == 0 {
			spec["resources"] = object{"requests": d.list(true), "limits": d.list(true)}
			if d.IntN(2) == 0 {
				status["allocatedResources"], status["resources"] = d.list(true), object{"requests": d.list(true)}
			}
		}
		var theirs corev1.Pod
		ours := &outrank.Pod{}
		text := both(t, object{"metadata": object{"name": "p", "namespace": "default", "uid": "u"}, "spec": spec, "status": status}, &theirs, ours)
		want, err := core.PodUsageFunc(&theirs, clock.RealClock{})
		require.NoError(t, err)
		got := quota.Usage(outrank.V1_37, ours)
		require.Len(t, got, len(want), "%v and %v\n%s", want, got, text)
		for name, q := range want {
			require.Zero(t, resource.MustParse(q.AsDec().String()).Cmp(got[resource.Name(name)]), "%s: %v and %v\n%s", name, want, got, text)
		}
	}
	t.Logf("%d pods from seed %d", *cases, *seed)
}
