package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/resource"
)

// A mistake in an object names the line: each of the texts is the second line of
// a cluster whose first is a node.
func TestMistakesInObjects(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"nod n2", `unknown kind of object "nod"`},
		{"node", "name of the node is missing"},
		{"node n1", "there is a node n1 above"},
		{"node n2 cpu=four", `cpu: resource: not a quantity: "four"`},
		{"node n2 labels=zone", `labels: "zone" is not key=value`},
		{"node n2 labels=a=b,a=c", "labels: a is given twice"},
		{"node n2 taints=k=v", `taints: "k=v" is not key[=value]:effect`},
		{"node n2 taints=k:Never", `taints: "k:Never" is not key[=value]:effect`},
		{"node n2 attach=ebs", `attach: "ebs" is not driver:number`},
		{"node n2 offers=(gpu)", `offers: "gpu" is not name=amount`},
		{"pod p on=n2", "there is no node n2 above"},
		{"pod p priority=2147483648", `priority: "2147483648" is no such number`},
		{"pod p start=yesterday", `start: time: invalid duration "yesterday"`},
		{"pod p ports=http", `ports: "http" is no port`},
		{"pod p node=(zone of (a))", `node: "zone of (a)" is no requirement`},
		{"pod p node=(zone in a)", `node: "zone in a" has no values in parentheses`},
		{"pod p node=(zone, =b)", `node: "=b" has no key`},
		{"pod p affinity=(app=db)", `affinity: "app=db" is not SELECTOR by KEY`},
		{"pod p affinity=(app=db by zone near)", `unknown word "near"`},
		{"pod p affinity=(gen>1 by zone)", `affinity: "gen>1": labels of pods are not compared as numbers`},
		{"pod p spread=(app=db by zone skew=x)", `skew: "x" is no such number`},
		{"pod p host-users=no", `host-users: "no" is neither true nor false`},
		{"pod p init=(cpu=1 restarts-all)", `init: "restarts-all" is not name=amount`},
		{"pod p volume=(disk=d1)", `disk: "d1" is not kind:id`},
		{"budget b selector=everything", "a budget has a selector and a number of allowed disruptions"},
		{"budget b allowed=1", "a budget has a selector and a number of allowed disruptions"},
		{"namespace a labels=b", `labels: "b" is not key=value`},
		{"podgroup g hole", `unknown word "hole"`},
		{"release v1.2", "v1.2"},
		{"release v1.36 v1.37", `unknown word "v1.37"`},
	} {
		body := []*Line{NewLine("f.txt", 1, "node n1"), NewLine("f.txt", 2, test.line)}
		Cluster(body)
		err := body[1].Err()
		if err == nil || !strings.HasPrefix(err.Error(), "f.txt:2: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.line, err, test.want)
		}
	}
}

func TestObjects(t *testing.T) {
	body := []*Line{
		NewLine("", 1, "node n1 cpu=4 memory=8Gi pods=9 offers=(example.com/gpu=2) labels=zone=a,gen=1 taints=k=v:NoSchedule,l:NoExecute attach=ebs:2 declares=F,G cordoned"),
		NewLine("", 2, "budget b namespace=x selector=(app=web,tier in (a, b),!old) allowed=1 disrupted=p,q"),
		NewLine("", 3, "namespace x labels=team=t"),
		NewLine("", 4, "podgroup g whole priority=5"),
	}
	got := Cluster(body)
	for _, l := range body {
		if err := l.Err(); err != nil {
			t.Error(err)
		}
	}
	five := int32(5)
	want := &outrank.Cluster{
		Nodes: []*outrank.Node{{
			Name: "n1", Labels: map[string]string{"zone": "a", "gen": "1"}, Unschedulable: true,
			Allocatable:  resource.MustList("cpu", "4", "memory", "8Gi", "pods", "9", "example.com/gpu", "2"),
			Taints:       []outrank.Taint{{Key: "k", Value: "v", Effect: outrank.NoSchedule}, {Key: "l", Effect: outrank.NoExecute}},
			AttachLimits: map[string]int64{"ebs": 2}, DeclaredFeatures: []string{"F", "G"},
		}},
		Budgets: []*outrank.PodDisruptionBudget{{
			Name: "b", Namespace: "x", DisruptionsAllowed: 1, DisruptedPods: map[string]time.Time{"p": Now, "q": Now},
			Selector: &outrank.LabelSelector{
				MatchLabels: map[string]string{"app": "web"},
				MatchExpressions: []outrank.Requirement{
					{Key: "tier", Operator: outrank.In, Values: []string{"a", "b"}}, {Key: "old", Operator: outrank.DoesNotExist},
				},
			},
		}},
		Namespaces: []*outrank.Namespace{{Name: "x", Labels: map[string]string{"team": "t"}}},
		Groups:     []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup, Priority: &five}},
	}
	if diff := testdiff.Diff(want, got, sameAmounts); diff != "" {
		t.Errorf("cluster (-want +got):\n%s", diff)
	}
}

var sameAmounts = cmp.Comparer(func(a, b resource.Quantity) bool { return a.String() == b.String() })

func TestPodInFull(t *testing.T) {
	l := NewLine("", 1, strings.ReplaceAll(`p namespace=x uid=u labels=app=web group=g priority=-3 never start=-1h leaving=Why on=n1 nominated=n2
		cpu=1 memory=2Gi asks=(example.com/gpu=1) limits=(cpu=2) reported=(cpu=3) infeasible overhead=(cpu=100m)
		init=(restarts-all cpu=4) sidecar=(cpu=1) restarts-all mount-options deferred host-network host-users=false pod-level=(cpu=5) static mirror qos=Burstable phase=Running selector=disk=ssd
		node=(zone in (a), metadata.name notin (n3) | gen>3 | empty) affinity=(app=db by zone & nothing by host in x,y)
		anti=(everything by zone in-selected (team)) spread=(app=web by zone skew=2 min-domains=3 keys=rev affinity=Ignore taints=Honor anyway)
		tolerates=k=v:NoSchedule,l,* ports=80,10.0.0.1:53/UDP
		volume=(claim=c once ephemeral state=Lost missing=v driver=d handle=h node=(zone in (a)) zones=a,b & disk=rbd:pool/i read-only)`, "\n", " "))
	got := l.Pod()
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	priority, hostUsers := int32(-3), false
	in := func(key, value string) outrank.NodeRequirement {
		return outrank.NodeRequirement{Key: key, Operator: outrank.In, Values: []string{value}}
	}
	app := func(name string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: map[string]string{"app": name}}
	}
	want := &outrank.Pod{
		Name: "p", Namespace: "x", UID: "u", Labels: map[string]string{"app": "web"}, Group: "g", Priority: &priority,
		PreemptionPolicy: outrank.PreemptNever, StartTime: Now.Add(-time.Hour), DeletionTimestamp: Now, DisruptionReason: "Why",
		NodeName: "n1", NominatedNodeName: "n2", ResizeInfeasible: true, ResizeDeferred: true, Overhead: resource.MustList("cpu", "100m"),
		Containers: []outrank.Container{{
			Name: "main", Requests: resource.MustList("cpu", "1", "memory", "2Gi", "example.com/gpu", "1"),
			RestartsAll: true, BindMountOptions: true, Limits: resource.MustList("cpu", "2"), Actual: resource.MustList("cpu", "3"),
			Ports: []outrank.Port{{HostPort: 80}, {HostPort: 53, HostIP: "10.0.0.1", Protocol: "UDP"}},
		}},
		InitContainers: []outrank.Container{
			{Name: "init-0", Requests: resource.MustList("cpu", "4"), RestartsAll: true},
			{Name: "init-1", Requests: resource.MustList("cpu", "1"), Sidecar: true},
		},
		Resources:   &resource.Requirements{Requests: resource.MustList("cpu", "5")},
		HostNetwork: true, HostUsers: &hostUsers,
		Static: true, Mirror: true, QOSClass: outrank.Burstable, Phase: outrank.PhaseRunning,
		NodeSelector: map[string]string{"disk": "ssd"},
		Affinity: outrank.Affinity{
			NodeAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{
				{
					MatchExpressions: []outrank.NodeRequirement{in("zone", "a")},
					MatchFields:      []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.NotIn, Values: []string{"n3"}}},
				},
				{MatchExpressions: []outrank.NodeRequirement{{Key: "gen", Operator: outrank.Gt, Values: []string{"3"}}}},
				{},
			}},
			PodAffinity: []outrank.PodAffinityTerm{
				{LabelSelector: app("db"), TopologyKey: "zone"}, {TopologyKey: "host", Namespaces: []string{"x", "y"}},
			},
			PodAntiAffinity: []outrank.PodAffinityTerm{{
				LabelSelector: &outrank.LabelSelector{}, TopologyKey: "zone",
				NamespaceSelector: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "team", Operator: outrank.Exists}}},
			}},
		},
		TopologySpreadConstraints: []outrank.TopologySpreadConstraint{{
			LabelSelector: app("web"), TopologyKey: "zone", MaxSkew: 2, MinDomains: 3, MatchLabelKeys: []string{"rev"},
			NodeAffinityPolicy: outrank.NodeIgnore, NodeTaintsPolicy: outrank.NodeHonor, WhenUnsatisfiable: outrank.ScheduleAnyway,
		}},
		Tolerations: []outrank.Toleration{
			{Key: "k", Operator: outrank.TolerationEqual, Value: "v", Effect: outrank.NoSchedule},
			{Key: "l", Operator: outrank.TolerationExists}, {Operator: outrank.TolerationExists},
		},
		Volumes: []outrank.Volume{
			{
				Claim: "c", OncePod: true, Ephemeral: true, State: outrank.ClaimLost, MissingVolume: "v", Driver: "d", Handle: "h", Zones: map[string][]string{outrank.ZoneLabel: {"a", "b"}},
				Node: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchExpressions: []outrank.NodeRequirement{in("zone", "a")}}}},
			},
			{Disk: outrank.Disk{Kind: outrank.RBD, ID: "pool/i", ReadOnly: true}},
		},
	}
	if diff := testdiff.Diff(want, got, sameAmounts); diff != "" {
		t.Errorf("pod (-want +got):\n%s", diff)
	}
}
