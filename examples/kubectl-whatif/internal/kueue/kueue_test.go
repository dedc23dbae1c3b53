package kueue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

var now = time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC)

// object is an object of Kubernetes as JSON.
type object map[string]any

// dump reads objects.
func dump(t *testing.T, objects ...object) *Cluster {
	t.Helper()
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": objects})
	require.NoError(t, err)
	c, err := Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	return c
}

func of(kind, namespace, name string, spec object) object {
	return object{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": object{"namespace": namespace, "name": name}, "spec": spec}
}

// group has quotas of cpu in flavors, in their order.
func group(quotas ...any) []object {
	var flavors []object
	for i := 0; i < len(quotas); i += 2 {
		flavors = append(flavors, object{"name": quotas[i], "resources": []object{{"name": "cpu", "nominalQuota": quotas[i+1]}}})
	}
	return []object{{"coveredResources": []string{"cpu"}, "flavors": flavors}}
}

// pods are those of a workload that asks for cpu.
func pods(cpu string, more object) []object {
	spec := object{"containers": []object{{"name": "c", "resources": object{"requests": object{"cpu": cpu}}}}}
	for k, v := range more {
		spec[k] = v
	}
	return []object{{"name": "main", "count": 1, "template": object{"spec": spec}}}
}

// waiting is a workload in question.
func waiting(spec object) object {
	w := of("Workload", "ns", "in", object{"queueName": "q", "priority": 5, "podSets": pods("2", nil)})
	for k, v := range spec {
		w["spec"].(object)[k] = v
	}
	return w
}

// holding is a workload with quota of a flavor.
func holding(name, queue, cpu string, at time.Time) object {
	w := of("Workload", "ns", name, object{"queueName": "q", "priority": 0, "podSets": pods(cpu, nil)})
	condition := func(kind string) object {
		return object{"type": kind, "status": "True", "lastTransitionTime": at.Format(time.RFC3339)}
	}
	w["status"] = object{
		"conditions": []object{condition("QuotaReserved"), condition("Admitted")},
		"admission": object{"clusterQueue": queue, "podSetAssignments": []object{{
			"name": "main", "flavors": object{"cpu": "f"}, "resourceUsage": object{"cpu": cpu}, "count": 1,
		}}},
	}
	return w
}

// usual are a queue with 4 cpu of its own in a cohort, its LocalQueue and flavor.
func usual(more object) []object {
	q := of("ClusterQueue", "", "cq", object{
		"cohortName": "co", "namespaceSelector": object{}, "resourceGroups": group("f", "4"), "preemption": object{"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"},
	})
	for k, v := range more {
		q["spec"].(object)[k] = v
	}
	return []object{q, of("LocalQueue", "ns", "q", object{"clusterQueue": "cq"}), of("ResourceFlavor", "", "f", object{})}
}

// asks asks about a workload of a dump.
func asks(t *testing.T, c *Cluster, s *Settings) (*Answer, []Caveat) {
	t.Helper()
	asked, err := c.Pending("ns/in")
	require.NoError(t, err)
	a, caveats, err := Ask(c, s, asked, now)
	require.NoError(t, err)
	return a, caveats
}

// Each thing that stands in the way is said, with its object.
func TestInadmissible(t *testing.T) {
	for _, tt := range []struct {
		name    string
		queue   object
		ask     object
		without int // of the usual objects, from 1
		want    string
	}{
		{"no LocalQueue named", nil, object{"queueName": ""}, 0, "it names no LocalQueue (label kueue.x-k8s.io/queue-name)"},
		{"no LocalQueue", nil, nil, 2, "there is no LocalQueue ns/q in the dump"},
		{"no ClusterQueue", nil, nil, 1, "there is no ClusterQueue cq in the dump, which LocalQueue ns/q names"},
		{"stopped", object{"stopPolicy": "Hold"}, nil, 0, "ClusterQueue cq is stopped (stopPolicy Hold)"},
		{"not active", nil, object{"active": false}, 0, "it is not active (spec.active)"},
		{"no namespaces", object{"namespaceSelector": nil}, nil, 0, "ClusterQueue cq takes no namespace (it has no namespaceSelector)"},
		{"another namespace", object{"namespaceSelector": object{"matchLabels": object{"team": "red"}}}, nil, 0, "ClusterQueue cq does not take the namespace ns (namespaceSelector)"},
		{"no flavor", nil, nil, 3, "there is no ResourceFlavor f in the dump; no flavor of clusterqueue cq takes it"},
		{"no quota", object{"resourceGroups": []object{{"coveredResources": []string{"gpu"}, "flavors": []object{}}}}, nil, 0, "clusterqueue cq has no quota of cpu; no flavor of clusterqueue cq takes it"},
		{"too large", nil, object{"podSets": pods("9", nil)}, 0, "it asks for more than its queue may ever have, of cpu@f"},
		{"a label that no flavor has", nil, object{"podSets": pods("1", object{"nodeSelector": object{"zone": "b"}})}, 0,
			"pod set main selects nodes with zone=b, and the flavor f has others; no flavor of clusterqueue cq takes it"},
	} {
		objects := usual(tt.queue)
		objects[2]["spec"] = object{"nodeLabels": object{"zone": "a"}}
		if tt.without > 0 {
			objects[tt.without-1] = of("Cohort", "", "co", object{})
		}
		c := dump(t, append(objects, waiting(tt.ask), object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": "ns"}})...)
		a, _ := asks(t, c, &Settings{})
		assert.Equal(t, Inadmissible, a.Outcome, tt.name)
		assert.Equal(t, tt.want, strings.Join(a.Reasons, "; "), tt.name)
	}
}

// Flavors are taken in their order: the first that is free, else the first that helps; taints,
// and labels that pods select, rule some out.
func TestFlavors(t *testing.T) {
	taint := object{"nodeTaints": []object{{"key": "gpu", "effect": "NoSchedule"}}, "nodeLabels": object{"kind": "gpu"}}
	for _, tt := range []struct {
		name    string
		first   object
		ask     object
		uses    string
		outcome Outcome
	}{
		{"the first is free", object{}, object{"podSets": pods("1", nil)}, "cpu@f", Fits},
		{"the second is free", object{}, nil, "cpu@g", Fits},
		{"the first has a taint", taint, object{"podSets": pods("1", nil)}, "cpu@g", Fits},
		{"it is tolerated", taint, object{"podSets": pods("1", object{"tolerations": []object{{"operator": "Exists"}}})}, "cpu@f", Fits},
		{"its label is selected", object{"nodeLabels": object{"kind": "gpu"}}, object{"podSets": pods("2", object{"nodeSelector": object{"kind": "gpu"}})}, "cpu@f", Preempts},
		{"no flavor tells about a label", object{}, object{"podSets": pods("1", object{"nodeSelector": object{"disk": "ssd"}})}, "cpu@f", Fits},
		{"none is free", object{}, object{"podSets": pods("3", nil)}, "cpu@f", Preempts},
		{"the first is too small for it", object{}, object{"podSets": pods("5", nil)}, "cpu@h", Preempts},
	} {
		objects := usual(object{"resourceGroups": group("f", "4", "g", "2", "h", "6")})
		objects[2]["spec"] = tt.first
		other := holding("other", "cq", "5", now)
		other["status"].(object)["admission"].(object)["podSetAssignments"].([]object)[0]["flavors"] = object{"cpu": "h"}
		objects = append(objects, of("ResourceFlavor", "", "g", object{}), of("ResourceFlavor", "", "h", object{}), holding("w", "cq", "3", now), other)
		a, _ := asks(t, dump(t, append(objects, waiting(tt.ask))...), &Settings{})
		assert.Equal(t, tt.outcome, a.Outcome, tt.name)
		assert.Equal(t, tt.uses, join(a.Uses.Names()), tt.name)
	}
}

// What is not looked at is named, with its object, and never passed over in silence.
func TestCaveats(t *testing.T) {
	annotated := func(o object, name, value string) object {
		o["metadata"].(object)["annotations"] = object{name: value}
		return o
	}
	rules := func(triggers ...string) object {
		var out []object
		for _, trigger := range triggers {
			out = append(out, object{"name": strings.ToLower(trigger), "activationPolicy": object{"trigger": trigger}, "candidateSelectors": []object{{"scope": "AnyClusterQueue"}}})
		}
		return of("PreemptionConfig", "", "rules", object{"rules": append(out, object{"name": "new", "colour": "red"})})
	}
	config := func(text string) *Settings {
		s, err := ReadSettings(strings.NewReader(`{"kind": "Configuration", ` + text + `}`))
		require.NoError(t, err)
		return s
	}
	topology := pods("1", nil)
	topology[0]["topologyRequest"] = object{"required": "rack"}
	asked := pods("1", nil)
	asked[0]["template"].(object)["metadata"] = object{"annotations": object{"kueue.x-k8s.io/podset-preferred-topology": "rack"}}
	devices := pods("1", nil)
	devices[0]["template"].(object)["spec"].(object)["resourceClaims"] = []object{{"name": "gpu"}, {"name": "nic"}}
	for _, tt := range []struct {
		name     string
		objects  []object
		settings *Settings
		want     string
	}{
		{"devices are claimed", append(usual(nil), waiting(object{"podSets": devices})), nil,
			"workload ns/in: the pods of pod set main claim devices (gpu, nic), which are not looked at: Kueue may count them by their classes, and find no quota"},
		{"a topology is asked for", append(usual(nil), waiting(object{"podSets": topology})), nil, "workload ns/in: pod set main asks for a topology, which is not looked at"},
		{"by an annotation", append(usual(nil), waiting(object{"podSets": asked})), nil, "workload ns/in: pod set main asks for a topology, which is not looked at"},
		{"a flavor has a topology", append(usual(nil)[:2], of("ResourceFlavor", "", "f", object{"topologyName": "racks"}), waiting(nil)), nil, "resourceflavor f: its topology racks is not looked at"},
		{"a rule about topologies", append([]object{annotated(usual(nil)[0], rulesAnnotation, "rules"), rules("QuotaFeasibleAndInsufficientTopology"), waiting(nil)}, usual(nil)[1:]...), nil,
			"preemptionconfig rules: rule quotafeasibleandinsufficienttopology is about topologies, which are not looked at, and does not count"},
		{"a rule that is not known", append([]object{annotated(usual(nil)[0], rulesAnnotation, "rules"), rules("Always"), waiting(nil)}, usual(nil)[1:]...), nil,
			`preemptionconfig rules: rule 2 does not count: json: unknown field "colour"`},
		{"rules that are not there", append([]object{annotated(usual(nil)[0], rulesAnnotation, "other"), waiting(nil)}, usual(nil)[1:]...), nil,
			"clusterqueue cq: the preemptionconfig other is not in the dump, and its rules do not count"},
		{"rules without their gate", append([]object{annotated(usual(nil)[0], rulesAnnotation, "rules"), rules("Always"), waiting(nil)}, usual(nil)[1:]...), config(`"featureGates": {}`),
			"clusterqueue cq: its annotation kueue.x-k8s.io/preemption-config-name counts with the feature gate ConfigurablePreemptions alone, which is off"},
		{"a boost without its gate", append(usual(nil), annotated(waiting(nil), boostAnnotation, "7")), config(`"featureGates": {}`),
			"workload ns/in: its annotation kueue.x-k8s.io/priority-boost counts with the feature gate PriorityBoost alone, which is off"},
		{"a boost", append(usual(nil), annotated(waiting(nil), boostAnnotation, "7")), nil, "workload ns/in: its annotation kueue.x-k8s.io/priority-boost counts, as it does with the feature gate PriorityBoost"},
		{"a boost that is none", append(usual(nil), annotated(waiting(nil), boostAnnotation, "much")), nil, `workload ns/in: its annotation kueue.x-k8s.io/priority-boost is no number, and does not count: "much"`},
		{"windows without their gate", append(usual(nil), waiting(nil)), config(`"preemptionProtection": {"reclaimWithinCohort": {"minAdmitDuration": "1h"}}`),
			"configuration: preemptionProtection counts with the feature gate PreemptionProtection alone, which is off"},
		{"shares of LocalQueues", append(usual(nil), waiting(nil)), config(`"admissionFairSharing": {}`), "configuration: admissionFairSharing is not looked at"},
		{"checks", append(usual(object{"admissionChecksStrategy": object{"admissionChecks": []object{{"name": "provision"}}}}), waiting(nil)), nil,
			"clusterqueue cq: once it has quota, admission checks have their say: provision"},
		{"a namespace that is not known", append(usual(object{"namespaceSelector": object{"matchLabels": object{"team": "red"}}}), waiting(nil)), nil,
			"namespace ns: not in the dump; here its labels meet the namespaceSelector of clusterqueue cq"},
		{"a workload of no queue", append(usual(nil), waiting(nil), holding("lost", "gone", "1", now)), nil, "workload ns/lost: its clusterqueue gone is not in the dump, and what it uses does not count"},
		{"affinity", append(usual(nil), waiting(object{"podSets": pods("1", object{"affinity": object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{
			"nodeSelectorTerms": []object{{"matchExpressions": []object{{"key": "zone", "operator": "Exists"}}}}}}}})})), nil,
			"workload ns/in: the affinity of pod set main to nodes is not held to the labels of flavors"},
		{"others first", append(usual(object{"queueingStrategy": "StrictFIFO"}), waiting(nil), of("Workload", "ns", "first", object{"queueName": "q", "priority": 9})), nil,
			"clusterqueue cq: it is asked about once 1 other that waits before it got quota (StrictFIFO)"},
	} {
		if tt.settings == nil {
			tt.settings = &Settings{}
		}
		_, caveats := asks(t, dump(t, tt.objects...), tt.settings)
		found := false
		for _, c := range caveats {
			found = found || strings.Contains(c.Object+": "+c.Text, tt.want)
		}
		assert.True(t, found, "%s: %q is not among %v", tt.name, tt.want, caveats)
	}
}

// Input that cannot be used is an error that names the object and the field.
func TestUnusable(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "cq"}, "spec": {"cohortName": 7}}`,
			"clusterqueue cq: spec.cohortName: number is none of what may stand there"},
		{`{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"namespace": "ns", "name": "w"}, "spec": {"priority": "high"}}`,
			"workload ns/w: spec.priority: string is none of what may stand there"},
	} {
		_, err := Read(strings.NewReader(tt.text))
		assert.EqualError(t, err, tt.want)
	}
	c := dump(t, append(usual(object{"preemption": object{"withinClusterQueue": "Sometimes"}}), waiting(nil))...)
	asked, err := c.Pending("ns/in")
	require.NoError(t, err)
	_, _, err = Ask(c, &Settings{}, asked, now)
	assert.EqualError(t, err, `clusterqueue cq: spec.preemption.withinClusterQueue: there is no policy "Sometimes"`)
	_, err = c.Pending("ns/none")
	assert.EqualError(t, err, "there is no Workload ns/none in the dump; those that wait: ns/in")
	_, err = ReadSettings(strings.NewReader(`{"kind": "Configuration", "fairSharing": {"preemptionStrategies": ["Luck"]}}`))
	assert.EqualError(t, err, `fairSharing.preemptionStrategies: there is no strategy "Luck"`)
	_, err = FromManifest(input.Object{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", Raw: json.RawMessage(`{}`)}, "ns")
	assert.EqualError(t, err, "deployment web: Kueue's answer is about a Workload, a Job or a Pod")
}

// The two versions of the API say the same, each with fields of its own.
func TestVersions(t *testing.T) {
	old := usual(nil)
	spec := old[0]["spec"].(object)
	spec["cohort"] = spec["cohortName"]
	delete(spec, "cohortName")
	lender := of("ClusterQueue", "", "lender", object{"cohort": "low", "cohortName": "low", "namespaceSelector": object{}, "resourceGroups": group("f", "3")})
	for _, objects := range [][]object{
		append(usual(nil), of("Cohort", "", "low", object{"parentName": "co"}), lender, waiting(object{"podSets": pods("7", nil), "priorityClassRef": object{"name": "batch"}})),
		append(old, of("Cohort", "", "low", object{"parent": "co"}), lender, waiting(object{"podSets": pods("7", nil), "priorityClassName": "batch"})),
	} {
		c := dump(t, objects...)
		a, _ := asks(t, c, &Settings{})
		assert.Equal(t, Fits, a.Outcome)
		assert.Equal(t, []string{"co"}, a.Cohorts)
		asked, err := c.Pending("ns/in")
		require.NoError(t, err)
		assert.Equal(t, "batch", asked.class)
	}
}

// A Job is asked about as the Workload that Kueue makes of it.
func TestJobs(t *testing.T) {
	job := func(labels object, spec object) input.Object {
		raw, err := json.Marshal(object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "j", "labels": labels}, "spec": spec})
		require.NoError(t, err)
		return input.Object{APIVersion: "batch/v1", Kind: "Job", Name: "j", Raw: raw}
	}
	template := object{"spec": object{"restartPolicy": "Never", "containers": []object{{"name": "c", "resources": object{"requests": object{"cpu": "1"}}}}}}
	c := dump(t, append(usual(nil), object{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass", "metadata": object{"name": "prod"}, "value": 7},
		object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": object{"name": "usual"}, "value": 3, "globalDefault": true})...)
	for _, tt := range []struct {
		labels   object
		parallel int
		uses     string
		priority int64
	}{{object{queueLabel: "q", classLabel: "prod"}, 3, "cpu@f:3", 7}, {object{queueLabel: "q"}, 1, "cpu@f:1", 3}} {
		asked, err := FromManifest(job(tt.labels, object{"parallelism": tt.parallel, "completions": 9, "template": template}), "ns")
		require.NoError(t, err)
		a, _, err := Ask(c, &Settings{}, asked, now)
		require.NoError(t, err)
		assert.Equal(t, tt.uses, strings.ReplaceAll(a.Uses.String(), " ", ""))
		assert.Equal(t, tt.priority, a.Priority)
		assert.Equal(t, outrank.Key("ns/j"), a.Workload)
	}
	asked, err := FromManifest(job(object{queueLabel: "q", classLabel: "none"}, object{"template": template}), "ns")
	require.NoError(t, err)
	_, _, err = Ask(c, &Settings{}, asked, now)
	assert.EqualError(t, err, "job j: there is no WorkloadPriorityClass none in the dump")
}

// Where several windows have to end, the answer tells the first, at which Kueue asks again, and the one
// from which on it helps.
func TestThen(t *testing.T) {
	s := &Settings{given: true, gates: map[string]bool{"PreemptionProtection": true}, protection: tenancy.Protection{Within: time.Hour}}
	objects := append(usual(nil), holding("a", "cq", "2", now.Add(-50*time.Minute)), holding("b", "cq", "2", now.Add(-20*time.Minute)), waiting(object{"podSets": pods("4", nil)}))
	a, _ := asks(t, dump(t, objects...), s)
	require.Equal(t, Waits, a.Outcome)
	assert.Equal(t, now.Add(10*time.Minute), a.RetryAt.Time)
	require.NotNil(t, a.Then)
	assert.Equal(t, now.Add(40*time.Minute), a.Then.At.Time)
	assert.Len(t, a.Then.Victims, 2)
}

// The rules of the PreemptionConfig that a ClusterQueue names have their victims.
func TestConfigured(t *testing.T) {
	objects := usual(object{"preemption": nil})
	objects[0]["metadata"].(object)["annotations"] = object{rulesAnnotation: "rules"}
	config := of("PreemptionConfig", "", "rules", object{"rules": []object{{
		"name": "hero", "activationPolicy": object{"trigger": "InsufficientQuota"}, "candidateSelectors": []object{{"scope": "WithinLocalQueue", "priority": object{"mode": "Base", "comparison": "LessThan"}}},
	}}})
	a, _ := asks(t, dump(t, append(objects, config, holding("a", "cq", "3", now), waiting(nil))...), &Settings{})
	require.Equal(t, Preempts, a.Outcome)
	assert.Equal(t, "configured preemption by hero", a.Victims[0].Rule)
}

// A workload that is finished holds nothing.
func TestFinished(t *testing.T) {
	w := holding("w", "cq", "4", now)
	status := w["status"].(object)
	status["conditions"] = append(status["conditions"].([]object), object{"type": "Finished", "status": "True", "lastTransitionTime": now.Format(time.RFC3339)})
	a, _ := asks(t, dump(t, append(usual(nil), w, waiting(nil))...), &Settings{})
	assert.Equal(t, Fits, a.Outcome)
}

// A quota of pods counts pods, and the least of several default classes holds.
func TestPodsAndDefaults(t *testing.T) {
	quota := object{"resourceGroups": []object{{"coveredResources": []string{"cpu", "pods"}, "flavors": []object{{"name": "f", "resources": []object{
		{"name": "cpu", "nominalQuota": "9"}, {"name": "pods", "nominalQuota": 3},
	}}}}}}
	class := func(name string, value int) object {
		return object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": object{"name": name}, "value": value, "globalDefault": true}
	}
	four := pods("1", nil)
	four[0]["count"] = 4
	ask := waiting(object{"podSets": four})
	delete(ask["spec"].(object), "priority")
	a, _ := asks(t, dump(t, append(usual(quota), class("a", 5), class("b", 2), class("c", 7), ask)...), &Settings{})
	assert.Equal(t, Inadmissible, a.Outcome)
	assert.Equal(t, []resource.Name{"pods@f"}, a.Scarce)
	assert.Equal(t, int64(2), a.Priority)
}

// Everything of a Configuration that counts is read.
func TestSettings(t *testing.T) {
	s, err := ReadSettings(strings.NewReader(`
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
featureGates: {FairSharingPreemptWithinNominal: false, PriorityBoost: true}
fairSharing: {preemptionStrategies: [LessThanInitialShare]}
preemptionProtection: {withinClusterQueue: {minAdmitDuration: 1m}, reclaimWithinCohort: {minAdmitDuration: 2m}, fairSharing: {minAdmitDuration: 1h30m}}
`))
	require.NoError(t, err)
	assert.Equal(t, &Settings{
		fair:       &tenancy.Fair{Strategies: []tenancy.Strategy{tenancy.LessThanInitialShare}, SharesAlone: true},
		protection: tenancy.Protection{Within: time.Minute, Reclaim: 2 * time.Minute, FairShare: 90 * time.Minute},
		gates:      map[string]bool{"FairSharingPreemptWithinNominal": false, "PriorityBoost": true}, given: true,
	}, s)
	for text, fair := range map[string]bool{`{"kind": "Configuration", "fairSharing": {"enable": false}}`: false, `{"kind": "Configuration", "fairSharing": {"enable": true}}`: true, `{"kind": "Configuration"}`: false} {
		s, err := ReadSettings(strings.NewReader(text))
		require.NoError(t, err)
		assert.Equal(t, fair, s.fair != nil, text)
		assert.False(t, fair && s.fair.SharesAlone, text)
	}
}

// Pods that are done give their quota back.
func TestReclaimable(t *testing.T) {
	w := holding("w", "cq", "4", now)
	status := w["status"].(object)
	status["admission"].(object)["podSetAssignments"].([]object)[0]["count"] = 4
	status["reclaimablePods"] = []object{{"name": "main", "count": 2}}
	a, _ := asks(t, dump(t, append(usual(nil), w, waiting(nil))...), &Settings{})
	assert.Equal(t, Fits, a.Outcome)
	delete(status, "reclaimablePods")
	a, _ = asks(t, dump(t, append(usual(nil), w, waiting(nil))...), &Settings{})
	assert.Equal(t, Preempts, a.Outcome)
}

// Over random dumps the answer is what package tenancy decides about the same tenants, and the time
// after which it helps is one at which it does.
func TestAnswersAreTenancys(t *testing.T) {
	seen := map[Outcome]int{}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var config tenancy.Config
		var objects []object
		take := []tenancy.Take{tenancy.Nobody, tenancy.Lower, tenancy.Anybody}
		for i := range 1 + r.IntN(3) {
			q := tenancy.Queue{Name: fmt.Sprint("q", i), Cohort: []string{"co", "co", ""}[r.IntN(3)], Quota: tenancy.Quota{Nominal: resource.List{"cpu@f": resource.New(int64(r.IntN(6)))}}}
			q.Policy = tenancy.Policy{Within: take[r.IntN(2)], Reclaim: take[r.IntN(3)], WhileBorrowing: r.IntN(2) == 0}
			config.Queues = append(config.Queues, q)
			preemption := object{"withinClusterQueue": cmp.Or(string(q.Policy.Within), "Never"), "reclaimWithinCohort": cmp.Or(string(q.Policy.Reclaim), "Never")}
			if q.Policy.WhileBorrowing {
				preemption["borrowWithinCohort"] = object{"policy": "LowerPriority"}
			}
			objects = append(objects,
				of("ClusterQueue", "", q.Name, object{"cohortName": q.Cohort, "namespaceSelector": object{}, "resourceGroups": group("f", fmt.Sprint(q.Nominal.Amount("cpu@f"))), "preemption": preemption}),
				of("LocalQueue", "ns", q.Name, object{"clusterQueue": q.Name}))
		}
		config.Cohorts = []tenancy.Cohort{{Name: "co", Quota: tenancy.Quota{Nominal: resource.List{"cpu@f": resource.New(int64(r.IntN(4)))}}}}
		objects = append(objects, of("Cohort", "", "co", object{"resourceGroups": group("f", fmt.Sprint(config.Cohorts[0].Nominal.Amount("cpu@f")))}), of("ResourceFlavor", "", "f", object{}))
		s := &Settings{given: true, gates: map[string]bool{"PriorityBoost": true, "PreemptionProtection": true}}
		if r.IntN(2) == 0 {
			s.protection.Reclaim, s.protection.Within = time.Duration(r.IntN(4))*time.Hour, time.Duration(r.IntN(3))*time.Hour
		}
		if r.IntN(3) == 0 {
			s.fair = &tenancy.Fair{}
			s.protection.FairShare = time.Duration(r.IntN(4)) * time.Hour
		}
		req := tenancy.Request{Now: now, Fair: s.fair, Protection: s.protection}
		for i := range r.IntN(6) {
			q, cpu, at := config.Queues[r.IntN(len(config.Queues))].Name, 1+r.IntN(3), now.Add(-time.Duration(r.IntN(4))*time.Hour)
			o := holding(fmt.Sprint("w", i), q, fmt.Sprint(cpu), at)
			x := tenancy.Workload{Name: "ns/" + fmt.Sprint("w", i), Queue: q, Priority: int32(r.IntN(4)), Boost: int32(r.IntN(3)), Admitted: at, Started: at, Queued: at, Uses: resource.List{"cpu@f": resource.New(int64(cpu))}}
			o["spec"].(object)["priority"] = x.Priority
			o["metadata"].(object)["annotations"] = object{boostAnnotation: fmt.Sprint(x.Boost)}
			o["metadata"].(object)["creationTimestamp"] = at.Format(time.RFC3339)
			objects, req.Admitted = append(objects, o), append(req.Admitted, x)
		}
		q, cpu := config.Queues[r.IntN(len(config.Queues))].Name, 1+r.IntN(5)
		req.Incoming = tenancy.Workload{Name: "ns/in", Queue: q, Priority: 3, Queued: now, Uses: resource.List{"cpu@f": resource.New(int64(cpu))}}
		objects = append(objects, waiting(object{"queueName": q, "priority": 3, "podSets": pods(fmt.Sprint(cpu), nil)}))
		a, _ := asks(t, dump(t, objects...), s)
		tree, err := tenancy.NewTree(config)
		require.NoError(t, err)
		want, err := tree.Reclaim(req)
		require.NoError(t, err)
		require.Equal(t, want.Outcome == preemption.Fits, a.Outcome == Fits, "seed %d", seed)
		require.Equal(t, want.Outcome == preemption.Preempts, a.Outcome == Preempts, "seed %d", seed)
		same := func(want []tenancy.Taken, got []Victim) {
			require.Len(t, got, len(want), "seed %d", seed)
			for i, v := range want {
				require.Equal(t, v.Name+" "+v.Rule, got[i].Workload+" "+got[i].Rule, "seed %d", seed)
			}
		}
		same(want.Victims, a.Victims)
		if a.Outcome == Waits {
			require.Equal(t, want.RetryAt, a.RetryAt.Time, "seed %d", seed)
		}
		if a.Then != nil {
			req.Now = a.Then.At.Time
			then, err := tree.Reclaim(req)
			require.NoError(t, err)
			require.Equal(t, preemption.Preempts, then.Outcome)
			same(then.Victims, a.Then.Victims)
			seen["later"]++
		}
		seen[a.Outcome]++
	}
	t.Log(seen)
	for _, o := range []Outcome{Fits, Preempts, Waits, Inadmissible, "later"} {
		assert.Greater(t, seen[o], 20, o)
	}
}
