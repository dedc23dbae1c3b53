package parts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	defaults "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/pkg/apis/scheduling/validation"
	plugin "k8s.io/kubernetes/plugin/pkg/admission/priority"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// class draws a priority class, many of which no API server lets in.
func (d draw) class(uid int) object {
	o := object{
		"metadata": object{
			"name": d.pick("a", "b", "c", "low", "system-x", "system-node-critical", "system-cluster-critical", "Bad_Name", "a.b", "-x", ""),
			"uid":  fmt.Sprint(uid),
		},
		"value": []int64{0, 5, -7, 1000, 1_000_000_000, 1_000_000_001, 2_000_000_000, 2_000_001_000, 2_147_483_647, -2_147_483_648}[d.IntN(10)],
	}
	if d.oneIn(3) {
		o["globalDefault"] = true
	}
	if policy := d.pick("", "", "Never", "PreemptLowerPriority", "Sometimes"); policy != "" {
		o["preemptionPolicy"] = policy
	}
	return o
}

// valid asks the API server's validation and outrank's whether a class is one, and requires that they agree.
func valid(t *testing.T, o object) (ok bool, theirs *schedulingv1.PriorityClass, ours *outrank.PriorityClass, text string) {
	written, err := json.Marshal(o)
	require.NoError(t, err)
	text = string(written)
	theirs, ours = &schedulingv1.PriorityClass{}, &outrank.PriorityClass{}
	require.NoError(t, json.Unmarshal(written, theirs))
	defaults.SetObjectDefaults_PriorityClass(theirs)
	var internal scheduling.PriorityClass
	require.NoError(t, defaults.Convert_v1_PriorityClass_To_scheduling_PriorityClass(theirs, &internal, nil))
	problems := validation.ValidatePriorityClass(&internal)

	err = json.Unmarshal(written, ours)
	if err == nil {
		err = priority.Validate(ours)
	}
	require.Equal(t, len(problems) == 0, err == nil, "%s: the reference says %v, outrank %v", text, problems, err)
	return err == nil, theirs, ours, text
}

// addSystemClasses adds the classes that an API server makes when it starts, unless they are there.
func addSystemClasses(t *testing.T, to cache.Indexer, taken map[string]bool) {
	for _, c := range defaults.SystemPriorityClasses() {
		if !taken[c.Name] {
			c = c.DeepCopy()
			defaults.SetObjectDefaults_PriorityClass(c)
			require.NoError(t, to.Add(c))
		}
	}
}

// resolved asks for the priority of a drawn pod. anyDefault says that several classes of one value are the default, of
// which the reference takes any.
func (d draw) resolved(t *testing.T, p *plugin.Plugin, table *priority.Table, anyDefault bool, text string) (refused bool) {
	spec := object{}
	pod := &core.Pod{}
	pod.Name, pod.Namespace = "p", d.pick("default", "kube-system")
	if name := d.pick("", "", "a", "b", "c", "low", "a.b", "gone", "system-node-critical"); name != "" {
		spec["priorityClassName"], pod.Spec.PriorityClassName = name, name
	}
	if d.oneIn(4) {
		value := []int32{0, 5, 1000, 2_000_001_000, -7}[d.IntN(5)]
		spec["priority"], pod.Spec.Priority = value, &value
	}
	if d.oneIn(4) {
		policy := core.PreemptionPolicy(d.pick("Never", "PreemptLowerPriority"))
		spec["preemptionPolicy"], pod.Spec.PreemptionPolicy = policy, &policy
	}
	written, err := json.Marshal(object{"metadata": object{"name": "p", "namespace": pod.Namespace}, "spec": spec})
	require.NoError(t, err)
	ours := &outrank.Pod{}
	require.NoError(t, json.Unmarshal(written, ours))

	wantErr := p.Admit(t.Context(), admission.NewAttributesRecord(pod, nil, core.Kind("Pod").WithVersion("version"), pod.Namespace, "p",
		core.Resource("pods").WithVersion("version"), "", admission.Create, nil, false, nil), nil)
	got, err := table.Resolve(ours)
	require.Equal(t, wantErr == nil, err == nil, "%s with\n%sthe reference says %v, outrank %v", written, text, wantErr, err)
	if err != nil {
		return true
	}
	if anyDefault && spec["priorityClassName"] == nil {
		return false
	}
	want := fmt.Sprint(*pod.Spec.Priority, " ", pod.Spec.PriorityClassName, " ", *pod.Spec.PreemptionPolicy)
	require.Equal(t, want, fmt.Sprint(got.Value, " ", got.Class, " ", got.Policy), "%s with\n%s", written, text)
	return false
}

// Classes are valid, and pods resolved, as the API server's validation and its admission plugin have it (chapter 4).
func TestPriority(t *testing.T) {
	classes, refused := 0, 0
	for i := range *cases / 4 {
		d := draw{rand.New(rand.NewPCG(*seed, uint64(i)))}
		p := plugin.NewPlugin()
		informer := informers.NewSharedInformerFactory(nil, 0)
		p.SetExternalKubeInformerFactory(informer)
		known := informer.Scheduling().V1().PriorityClasses().Informer().GetIndexer()

		var ours []*outrank.PriorityClass
		text, taken, defaultsOf, anyDefault := "", map[string]bool{}, map[int32]int{}, false
		for n := range d.IntN(5) {
			ok, a, b, line := valid(t, d.class(n))
			if !ok || taken[a.Name] {
				continue
			}
			taken[a.Name] = true
			if a.GlobalDefault {
				defaultsOf[a.Value]++
				anyDefault = anyDefault || defaultsOf[a.Value] > 1
			}
			require.NoError(t, known.Add(a))
			ours, text = append(ours, b), text+line+"\n"
		}
		classes += len(ours)
		addSystemClasses(t, known, taken)
		table, err := priority.NewTable(ours)
		require.NoError(t, err, text)
		for range 4 {
			if d.resolved(t, p, table, anyDefault, text) {
				refused++
			}
		}
	}
	t.Logf("%d lists from seed %d: %d classes, %d of %d pods are refused by both", *cases/4, *seed, classes, refused, *cases)
	require.Positive(t, refused)
	require.Less(t, refused, *cases)
}
