package kube_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

// fullNode and those below have a value in every field.
func fullNode() *outrank.Node {
	return &outrank.Node{
		Name: "n1", Labels: map[string]string{"zone": "a"}, Allocatable: resource.MustList("cpu", "4", "pods", "110"),
		Taints:       []outrank.Taint{{Key: "k", Value: "v", Effect: outrank.NoSchedule}},
		AttachLimits: map[string]int64{"disk.example.com": 3, "file.example.com": 0}, MissingDrivers: []string{"gone.example.com"}, Unschedulable: true, DeclaredFeatures: []string{"F"}, StrictGroups: true, KubeletVersion: "v1.37.1",
		DisableResizePreemption: []string{"autoscaler"},
		Images:                  []outrank.NodeImage{{Names: []string{"registry.example/a:1", "registry.example/a@sha256:1"}, SizeBytes: 1 << 30}},
		Value:                   "the caller's own",
	}
}

func fullSelector() *outrank.LabelSelector {
	return &outrank.LabelSelector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []outrank.Requirement{{Key: "tier", Operator: outrank.NotIn, Values: []string{"db", ""}}},
	}
}

func fullNodeSelector() *outrank.NodeSelector {
	return &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
		MatchExpressions: []outrank.NodeRequirement{{Key: "gen", Operator: outrank.Gt, Values: []string{"3"}}},
		MatchFields:      []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.NotIn, Values: []string{"n9"}}},
	}}}
}

func fullContainer(name string) outrank.Container {
	return outrank.Container{
		Name: name, Image: "registry.example/" + name + ":1", Requests: resource.MustList("cpu", "100m"), Limits: resource.MustList("memory", "1Gi"),
		Ports:   []outrank.Port{{HostPort: 8080, HostIP: "10.0.0.1", Protocol: "UDP"}},
		Sidecar: true, RestartsAll: true, BindMountOptions: true, AllocatedResources: resource.MustList("cpu", "200m"), Actual: resource.MustList("cpu", "150m"),
	}
}

func fullPreferences() *outrank.Preferences {
	return &outrank.Preferences{
		NodeAffinity:    []outrank.PreferredSchedulingTerm{{Weight: 7, Preference: fullNodeSelector().NodeSelectorTerms[0]}},
		PodAffinity:     []outrank.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: fullTerm()}},
		PodAntiAffinity: []outrank.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: fullTerm()}, {Weight: 2, PodAffinityTerm: fullTerm()}},
		ImageVolumes:    []string{"registry.example/model:1"},
	}
}

func fullTerm() outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{
		LabelSelector: fullSelector(), Namespaces: []string{"data"}, NamespaceSelector: fullSelector(), TopologyKey: "zone",
		MatchLabelKeys: []string{"rev"}, MismatchLabelKeys: []string{"color"},
	}
}

func fullPod() *outrank.Pod {
	at := time.Date(2026, 1, 10, 12, 0, 0, 500, time.UTC)
	return &outrank.Pod{
		Name: "web-1", Namespace: "shop", UID: "u1", Labels: map[string]string{"app": "web"},
		Owner: outrank.Owner{Kind: "ReplicaSet", Name: "web"}, NodeName: "n1", NominatedNodeName: "n2", HostNetwork: true, HostUsers: new(bool),
		SchedulerName: "mine", SchedulingGates: []string{"a", "b"}, OS: "linux", StrictGroups: true, ResourceClaims: []string{"gpu", "nic"}, Grace: new(time.Duration),
		AllocatedResources: resource.MustList("cpu", "3"), Actual: resource.MustList("memory", "2Gi"),
		Priority: outrank.Priority(-5), PriorityClassName: "low", PreemptionPolicy: outrank.PreemptNever,
		Containers: []outrank.Container{fullContainer("a"), {Name: "b", Reported: true}}, InitContainers: []outrank.Container{fullContainer("a")},
		Resources: &resource.Requirements{Requests: resource.MustList("cpu", "2"), Limits: resource.MustList("memory", "1Gi")},
		Overhead:  resource.MustList("cpu", "50m"), ResizeInfeasible: true, NodeSelector: map[string]string{"disk": "ssd"},
		Affinity:    outrank.Affinity{NodeAffinity: fullNodeSelector(), PodAffinity: []outrank.PodAffinityTerm{fullTerm()}, PodAntiAffinity: []outrank.PodAffinityTerm{fullTerm()}},
		Preferences: fullPreferences(),
		Tolerations: []outrank.Toleration{{Key: "k", Operator: outrank.TolerationEqual, Value: "v", Effect: outrank.NoExecute}},
		TopologySpreadConstraints: []outrank.TopologySpreadConstraint{{
			MaxSkew: 2, TopologyKey: "zone", WhenUnsatisfiable: outrank.ScheduleAnyway, LabelSelector: fullSelector(), MinDomains: 3,
			NodeAffinityPolicy: outrank.NodeIgnore, NodeTaintsPolicy: outrank.NodeHonor, MatchLabelKeys: []string{"rev"},
		}},
		Volumes: []outrank.Volume{
			{
				Claim: "data", OncePod: true, Driver: "disk.example.com", Handle: "h1", Node: fullNodeSelector(),
				Zones: map[string][]string{outrank.ZoneLabel: {"z1", "z2"}, outrank.BetaRegionLabel: {"r_"}},
			},
			{Disk: outrank.Disk{Kind: outrank.RBD, ID: "pool/image/x", Monitors: []string{"m1", "m2"}, ReadOnly: true}},
			{Claim: "web-1-scratch", Ephemeral: true, State: outrank.ClaimLost, MissingVolume: "pv-gone", Driver: "disk.example.com"},
		},
		Group: "train", StartTime: at, DeletionTimestamp: at.Add(time.Hour), DisruptionReason: outrank.PreemptionByScheduler,
		Ready: true, QOSClass: outrank.Burstable, Static: true, Mirror: true, Phase: outrank.PhaseRunning,
		Value: "the caller's own",
	}
}

func fullCluster() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{fullNode()},
		Pods:  []*outrank.Pod{fullPod(), {Name: "resized", Reported: true, AllocatedResources: resource.List{}, ResizeDeferred: true}},
		Budgets: []*outrank.PodDisruptionBudget{{
			Name: "b", Namespace: "shop", Selector: fullSelector(), MinAvailable: &outrank.IntOrPercent{Value: 50, Percent: true},
			DisruptionsAllowed: 2, CurrentHealthy: 7, DesiredHealthy: 5, ObservedGeneration: 4, UnhealthyPodEvictionPolicy: outrank.AlwaysAllow,
			DisruptedPods: map[string]time.Time{"web-1": time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC), "web-2": {}},
		}, {Name: "c", MaxUnavailable: &outrank.IntOrPercent{Value: 3}}}, // no API server lets a budget have both figures
		Classes: []*outrank.PriorityClass{{
			Name: "low", Value: -5, GlobalDefault: true, PreemptionPolicy: outrank.PreemptNever, Description: `"<low> & slow"`,
		}},
		Namespaces: []*outrank.Namespace{{Name: "shop", Labels: map[string]string{"team": "t"}}},
		Groups:     []*outrank.PodGroup{fullGroup()}, Composites: []*outrank.CompositePodGroup{fullComposite()}, Workloads: []*outrank.Workload{fullWorkload()},
		Claims: []*outrank.VolumeClaim{fullClaim(), {
			Name: "web-1-scratch", Namespace: "shop",
			Volume: outrank.Volume{State: outrank.ClaimLost, MissingVolume: "pv-gone", Driver: "disk.example.com"},
		}},
	}
}

func fullGroup() *outrank.PodGroup {
	return &outrank.PodGroup{
		Name: "train", Namespace: "shop", UID: "u2", DisruptionMode: outrank.DisruptPodGroup, Policy: outrank.GangPolicy, MinCount: 3,
		Priority: outrank.Priority(7), PriorityClassName: "low", PreemptionPolicy: outrank.PreemptNever, Parent: "trains",
		Topology: []string{"rack"}, Workload: "job", Template: "workers", Scheduled: true,
	}
}

func fullComposite() *outrank.CompositePodGroup {
	return &outrank.CompositePodGroup{
		Name: "trains", Namespace: "shop", UID: "u3", DisruptionMode: outrank.DisruptPodGroup, Policy: outrank.GangPolicy, MinGroupCount: 2,
		Priority: outrank.Priority(-7), PriorityClassName: "low", PreemptionPolicy: outrank.PreemptLowerPriority, Parent: "all",
		Topology: []string{"zone"}, Workload: "job", Template: "root", Scheduled: true,
	}
}

func fullWorkload() *outrank.Workload {
	workers := outrank.PodGroupTemplate{
		Name: "workers", DisruptionMode: outrank.DisruptPod, Policy: outrank.GangPolicy, MinCount: 3, Priority: outrank.Priority(7),
		PriorityClassName: "low", PreemptionPolicy: outrank.PreemptNever, Topology: []string{"rack"},
	}
	return &outrank.Workload{
		Name: "job", Namespace: "shop", Owner: outrank.Owner{Kind: "Job", Name: "job"},
		CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{{
			Name: "root", DisruptionMode: outrank.DisruptPodGroup, Policy: outrank.GangPolicy, MinGroupCount: 2, Priority: outrank.Priority(7),
			PriorityClassName: "low", PreemptionPolicy: outrank.PreemptNever, Topology: []string{"zone"},
			PodGroupTemplates: []outrank.PodGroupTemplate{workers}, CompositePodGroupTemplates: []outrank.CompositePodGroupTemplate{{Name: "deeper"}, {Name: "other"}},
		}},
	}
}

func fullClaim() *outrank.VolumeClaim {
	v := fullPod().Volumes[0]
	v.Claim = ""
	return &outrank.VolumeClaim{Name: "data", Namespace: "shop", Volume: v}
}

// left are the fields that are not written, for the reasons that WriteCluster
// names. No others may be empty in a full cluster.
var left = []string{
	"Cluster.Release", "Cluster.Skipped", "Cluster.Finished", "Cluster.AsOf", "Cluster.Unread", "Pod.Value",
	// Volume has two uses: in a claim it has no claim and no disk. A workload
	// has templates of one kind; the other stands further down.
	"Workload.PodGroupTemplates",
	"VolumeClaim.Volume.Claim", "VolumeClaim.Volume.Ephemeral", "VolumeClaim.Volume.Disk",
}

// whatIsWritten ignores the fields of left, the difference between nil and empty, and that
// between no policy and the one which that means.
var whatIsWritten = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(outrank.Cluster{}, "Release", "Skipped", "Finished", "AsOf", "Unread"),
	cmpopts.IgnoreFields(outrank.Pod{}, "Value"),
	cmpopts.IgnoreFields(outrank.Node{}, "Value"),
	cmp.Comparer(func(a, b outrank.UnsatisfiablePolicy) bool { return meant(a) == meant(b) }),
}

func meant(p outrank.UnsatisfiablePolicy) outrank.UnsatisfiablePolicy {
	if p == "" {
		return outrank.DoNotSchedule
	}
	return p
}

// diffOfWritten compares a cluster with what was read, whose pods and nodes get the values of those. Most
// clusters are equal then to the last field that is written, which is seen in a tenth of the time.
func diffOfWritten(want, got *outrank.Cluster) string {
	w := *want
	w.Release, w.Skipped, w.Finished, w.AsOf, w.Unread = got.Release, got.Skipped, got.Finished, got.AsOf, got.Unread
	for i, p := range got.Pods[:min(len(got.Pods), len(want.Pods))] {
		p.Value = want.Pods[i].Value
	}
	for i, n := range got.Nodes[:min(len(got.Nodes), len(want.Nodes))] {
		n.Value = want.Nodes[i].Value
	}
	return testdiff.Diff(&w, got, whatIsWritten)
}

// fields calls f with every field within v, the elements of lists and targets
// of pointers included; path names types and fields, without indices.
func fields(path string, v reflect.Value, f func(path string, v reflect.Value)) {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		fields(path, v.Elem(), f)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			fields(path, v.Index(i), f)
		}
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]() && v.Type() != reflect.TypeFor[resource.Quantity]():
		if v.Type().PkgPath() == reflect.TypeFor[outrank.Pod]().PkgPath() && v.Type() != reflect.TypeFor[outrank.Volume]() {
			path = v.Type().Name()
		}
		for i := range v.NumField() {
			at := path + "." + v.Type().Field(i).Name
			f(at, v.Field(i))
			fields(at, v.Field(i), f)
		}
	}
}

func write(t require.TestingT, c *outrank.Cluster) []byte {
	var b bytes.Buffer
	require.NoError(t, kube.WriteCluster(&b, c))
	return b.Bytes()
}

func read(t require.TestingT, text []byte) *outrank.Cluster {
	c, err := kube.ReadCluster(bytes.NewReader(text))
	require.NoError(t, err, "%s", text)
	return c
}

// A new field has to be set in a full object, and then it has to be written.
func TestFullHasEveryField(t *testing.T) {
	set := map[string]bool{}
	fields("", reflect.ValueOf(fullCluster()), func(path string, v reflect.Value) { set[path] = set[path] || !v.IsZero() })
	var empty []string
	for path, ok := range set {
		if !ok && !slices.Contains(left, path) {
			empty = append(empty, path)
		}
	}
	assert.Empty(t, empty, "fields that no full object has")
	assert.Greater(t, len(set), 80)
}

func TestEveryFieldIsWritten(t *testing.T) {
	want := fullCluster()
	text := write(t, want)
	if diff := diffOfWritten(want, read(t, text)); diff != "" {
		t.Errorf("ReadCluster(WriteCluster(c)) (-want +got):\n%s\n%s", diff, text)
	}
	if diff := testdiff.Diff(fullCluster(), want); diff != "" {
		t.Errorf("WriteCluster changed its input:\n%s", diff)
	}
}

// Each field alone, in an object with nothing else but a name.
func TestEveryFieldAloneIsWritten(t *testing.T) {
	full := fullCluster()
	alone(t, full.Nodes[0], func(c *outrank.Cluster, n *outrank.Node) { c.Nodes = append(c.Nodes, n) })
	alone(t, full.Pods[0], func(c *outrank.Cluster, p *outrank.Pod) { c.Pods = append(c.Pods, p) })
	alone(t, full.Budgets[0], func(c *outrank.Cluster, b *outrank.PodDisruptionBudget) { c.Budgets = append(c.Budgets, b) })
	alone(t, full.Classes[0], func(c *outrank.Cluster, pc *outrank.PriorityClass) { c.Classes = append(c.Classes, pc) })
	alone(t, full.Namespaces[0], func(c *outrank.Cluster, ns *outrank.Namespace) { c.Namespaces = append(c.Namespaces, ns) })
	alone(t, full.Groups[0], func(c *outrank.Cluster, g *outrank.PodGroup) {
		if g.Policy != "" || g.MinCount != 0 { // neither stands without the other
			g.Policy, g.MinCount = outrank.GangPolicy, max(g.MinCount, 1)
		}
		c.Groups = append(c.Groups, g)
	})
	alone(t, full.Composites[0], func(c *outrank.Cluster, g *outrank.CompositePodGroup) {
		if g.Policy != "" || g.MinGroupCount != 0 {
			g.Policy, g.MinGroupCount = outrank.GangPolicy, max(g.MinGroupCount, 1)
		}
		c.Composites = append(c.Composites, g)
	})
	alone(t, full.Workloads[0], func(c *outrank.Cluster, w *outrank.Workload) { c.Workloads = append(c.Workloads, w) })
	alone(t, full.Claims[0], func(c *outrank.Cluster, vc *outrank.VolumeClaim) { c.Claims = append(c.Claims, vc) })
}

func alone[T any](t *testing.T, full *T, add func(*outrank.Cluster, *T)) {
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		if typ.Field(i).Name == "Name" {
			continue
		}
		t.Run(typ.Name()+"."+typ.Field(i).Name, func(t *testing.T) {
			object := new(T)
			v := reflect.ValueOf(object).Elem()
			v.FieldByName("Name").Set(reflect.ValueOf(full).Elem().FieldByName("Name"))
			v.Field(i).Set(reflect.ValueOf(full).Elem().Field(i))
			want := &outrank.Cluster{}
			add(want, object)
			got := read(t, write(t, want))
			if len(want.Pods) > 0 {
				got.Claims = nil // invented for the pod's volumes
			}
			if diff := diffOfWritten(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Any field, however deep, may be missing: the rest is written, or refused.
func TestFullWithoutAnyOneField(t *testing.T) {
	count := 0
	fields("", reflect.ValueOf(fullCluster()), func(string, reflect.Value) { count++ })
	for i := range count {
		c, n, changed := fullCluster(), 0, ""
		fields("", reflect.ValueOf(c), func(path string, v reflect.Value) {
			if n == i && changed == "" {
				changed = path
				v.SetZero()
			}
			n++
		})
		var b bytes.Buffer
		if err := kube.WriteCluster(&b, c); err != nil {
			assert.ErrorIs(t, err, outrank.ErrInvalid, changed)
			assert.Empty(t, b.String(), "%s: nothing is written of what is refused", changed)
			continue
		}
		got := read(t, b.Bytes())
		if len(c.Claims) == 0 || len(c.Claims) < len(got.Claims) {
			c.Claims, got.Claims = nil, nil
		}
		if diff := diffOfWritten(c, got); diff != "" {
			t.Errorf("without %s (-want +got):\n%s", changed, diff)
		}
	}
}

var shapes = map[string]gen.Shape{
	"resources": {}, "budgets": {Budgets: 4}, "nominated": {Nominated: 4}, "taints": {Taints: true}, "selectors": {Selectors: true},
	"ports": {Ports: true}, "affinity": {Affinity: true}, "spread": {Spread: true}, "volumes": {Volumes: true}, "groups": {Groups: 2},
	"full": gen.Full(),
}

// A cluster survives being written and read, and the text does not change from then on.
func TestClustersSurvive(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			c := gen.Cluster(shape).Draw(t, "cluster")
			p := gen.Preemptor(shape).Draw(t, "preemptor")
			rename(p, "looking for a place")
			c.Pods = append(c.Pods, p)
			if unsayable(p) {
				if err := kube.WriteCluster(&bytes.Buffer{}, c); err == nil {
					t.Fatalf("a zone without values was written")
				}
				c.Pods = c.Pods[:len(c.Pods)-1]
			}
			text := write(t, c)
			once := read(t, text)
			want := *c
			want.Pods = slices.DeleteFunc(slices.Clone(c.Pods), (*outrank.Pod).Finished)
			want.Claims = once.Claims // some are invented for the pods' volumes
			if diff := diffOfWritten(&want, once); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if got, want := once.Finished, len(c.Pods)-len(want.Pods); got != want {
				t.Fatalf("%d finished pods, want %d", got, want)
			}
			twice := read(t, write(t, once))
			once.Finished, once.AsOf, twice.AsOf = 0, time.Time{}, time.Time{}
			if !reflect.DeepEqual(once, twice) {
				t.Fatalf("written and read once more (-want +got):\n%s", testdiff.Diff(once, twice))
			}
			if again := write(t, c); !bytes.Equal(text, again) {
				t.Fatalf("written twice:\n%s\n%s", text, again)
			}
		}))
	}
}

// rename gives a pod another name, and with it the claims that are made for it.
func rename(p *outrank.Pod, name string) {
	for i := range p.Volumes {
		if v := &p.Volumes[i]; v.Ephemeral {
			v.Claim = name + strings.TrimPrefix(v.Claim, p.Name)
		}
	}
	p.Name = name
}

// unsayable reports whether a volume has a zone label that no value will do for.
func unsayable(p *outrank.Pod) bool {
	return slices.ContainsFunc(p.Volumes, func(v outrank.Volume) bool {
		for _, values := range v.Zones {
			if len(values) == 0 {
				return true
			}
		}
		return false
	})
}
