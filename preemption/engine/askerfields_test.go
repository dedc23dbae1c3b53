package engine_test

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// yard is a cluster in which a small pod has a choice: it takes the place of
// low-a on node a, unless something keeps it from there, and otherwise that of
// low-b on node b, which is larger. Node c has no room for any pod. More pods
// can be given.
func yard(more ...*outrank.Pod) *outrank.Cluster {
	c := halfYard(more...)
	c.Pods = append(c.Pods, lowly("low-a", 1, "a"))
	return c
}

// in36 makes the cluster one of v1.36, for what only that release looks at.
func in36(c *outrank.Cluster) *outrank.Cluster {
	c.Release = outrank.V1_36
	return c
}

// halfYard is a yard in which node a is free.
func halfYard(more ...*outrank.Pod) *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "a", Allocatable: amounts("1"), Labels: map[string]string{
				"kind": "a", "zone": "za", "rack": "ra", "floor": "1", "site": "s", outrank.ZoneLabel: "za",
			}},
			{Name: "b", Allocatable: amounts("2"), Labels: map[string]string{
				"kind": "b", "zone": "zb", "rack": "rb", "floor": "1", "site": "s", outrank.ZoneLabel: "zb", "other": "a",
			}},
			{Name: "c", Allocatable: resource.MustList("pods", "9"), Labels: map[string]string{"zone": "za", "rack": "rb"}},
		},
		Pods: append(slices.Clone(more), lowly("low-b", 2, "b")),
		Namespaces: []*outrank.Namespace{
			{Name: "default", Labels: map[string]string{"env": "dev", "other": "prod"}},
			{Name: "team", Labels: map[string]string{"env": "prod"}},
		},
	}
}

// amounts is n of every resource. The last resource has no column in a
// snapshot.
func amounts(n string) resource.List {
	return resource.MustList("cpu", n, "memory", n+"Gi", "ephemeral-storage", n+"Gi", "example.com/gpu", n, "pods", "9")
}

// lowly is a pod that fills a node of the yard.
func lowly(name string, priority int32, node string) *outrank.Pod {
	n := map[string]string{"a": "1", "b": "2", "c": "0"}[node]
	return pod(name, priority, "0", on(node), requests(amounts(n)))
}

func requests(l resource.List) with {
	return func(p *outrank.Pod) {
		l = l.Clone()
		delete(l, resource.Pods)
		p.Containers[0].Requests = l
	}
}

func asking(what ...string) with { return requests(resource.MustList(what...)) }

// caller is a pod that looks for a place in the yard.
func caller(options ...with) *outrank.Pod {
	return pod("p", 100, "1", append([]with{tagged("app", "fa", "tier", "x", "role", "r1", "all", "yes", "lone", "yes")}, options...)...)
}

func tagged(pairs ...string) with {
	return func(p *outrank.Pod) {
		p.Labels = map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			p.Labels[pairs[i]] = pairs[i+1]
		}
	}
}

// all applies changes of a pod one after the other.
func all(options ...with) with {
	return func(p *outrank.Pod) {
		for _, o := range options {
			o(p)
		}
	}
}

func hostPort(number int32, ip, protocol string) with {
	return func(p *outrank.Pod) {
		p.Containers[0].Ports = []outrank.Port{{HostPort: number, HostIP: ip, Protocol: protocol}}
	}
}

// helper adds an init container to a pod.
func helper(c outrank.Container) with {
	return func(p *outrank.Pod) { p.InitContainers = []outrank.Container{c} }
}

func requirement(key string, op outrank.Operator, values ...string) outrank.NodeRequirement {
	return outrank.NodeRequirement{Key: key, Operator: op, Values: values}
}

// askerIrrelevant are the fields of a preemptor that make no difference.
var askerIrrelevant = map[string]string{
	"Value":                               "the caller's own",
	"UID":                                 "pods are told apart by their names",
	"Owner.Kind":                          "for reports",
	"Owner.Name":                          "for reports",
	"PriorityClassName":                   "the priority counts",
	"SchedulerName":                       "those whose nominations count are named in the configuration",
	"Containers[].Name":                   "a name",
	"Containers[].Limits":                 "requests count",
	"Containers[].Sidecar":                "only init containers are sidecars",
	"Containers[].AllocatedResources":     "a pod that does not run counts by its spec",
	"Containers[].Reported":               "a pod that does not run counts by its spec",
	"Containers[].Actual":                 "a pod that does not run counts by its spec",
	"InitContainers[].Name":               "a name",
	"InitContainers[].Limits":             "requests count",
	"InitContainers[].AllocatedResources": "a pod that does not run counts by its spec",
	"InitContainers[].Reported":           "a pod that does not run counts by its spec",
	"InitContainers[].Actual":             "a pod that does not run counts by its spec",
	"Resources.Limits":                    "requests count",
	"ResizeDeferred":                      "nothing looks at it in v1.36",
	"ResizeInfeasible":                    "a pod that does not run counts by its spec",
	"Affinity.NodeAffinity.NodeSelectorTerms[].MatchFields[].Key": "there is only one",
	"Volumes[].Node.NodeSelectorTerms[].MatchFields[].Key":        "a volume looks at labels alone",
	"Volumes[].Node.NodeSelectorTerms[].MatchFields[].Operator":   "a volume looks at labels alone",
	"Volumes[].Node.NodeSelectorTerms[].MatchFields[].Values":     "a volume looks at labels alone",
	"Volumes[].MissingVolume":                                     "a name in a reason",
	"Group":                                                       "groups are asked for as a whole",
	"StartTime":                                                   "it has not started",
	"DeletionTimestamp":                                           "nobody asks whether the preemptor is leaving",
	"DisruptionReason":                                            "nobody asks whether the preemptor is leaving",
	"SchedulingGates":                                             "a pod that is asked about is taken to be let through",
	"OS":                                                          "the kubelet's business",
	"StrictGroups":                                                "the kubelet's business",
	"ResourceClaims":                                              "no rule looks at devices",
	"Grace":                                                       "how long it takes to end counts for nothing",
	"AllocatedResources":                                          "a pod that does not run counts by its spec",
	"Reported":                                                    "a pod that does not run counts by its spec",
	"Actual":                                                      "a pod that does not run counts by its spec",
	"Ready":                                                       "the kubelet's and the budgets' business",
	"QOSClass":                                                    "the kubelet's business",
	"Static":                                                      "the kubelet's business",
	"Mirror":                                                      "the kubelet's business",
	"Phase":                                                       "it is pending, whatever it says",
}

// askerVariations are pairs of preemptors that differ in one field.
func askerVariations() []variation {
	var vs []variation
	add := func(field, why string, c *outrank.Cluster, a, b with) {
		vs = append(vs, variation{field: field, why: why, c: c, a: caller(a), b: caller(b)})
	}
	addIdentity(add)
	addAmounts(add)
	addNodeDemands(add)
	addSpread(add)
	addVolumes(add)
	for _, t := range termVariations() {
		put := func(term outrank.PodAffinityTerm) (near, apart with) {
			return func(p *outrank.Pod) { p.Affinity.PodAffinity = []outrank.PodAffinityTerm{term} },
				func(p *outrank.Pod) { p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{term} }
		}
		nearA, apartA := put(t.a)
		nearB, apartB := put(t.b)
		add("Affinity.PodAffinity[]."+t.field, "", friends(), all(t.own, nearA), all(t.own, nearB))
		add("Affinity.PodAntiAffinity[]."+t.field, "", friends(), all(t.own, apartA), all(t.own, apartB))
	}
	return vs
}

type adder func(field, why string, c *outrank.Cluster, a, b with)

func nothing(*outrank.Pod) {}

func scheduledBy(name string) with { return func(p *outrank.Pod) { p.SchedulerName = name } }

func gated(gates ...string) with { return func(p *outrank.Pod) { p.SchedulingGates = gates } }

// addIdentity varies who the pod is and how important.
func addIdentity(add adder) {
	claimed := halfYard(pod("q", 100, "1", nominated("a")))
	claimed.Pods = append(claimed.Pods, pod("p", 100, "1", nominated("b"), namespace("team")))
	add("Name", "its own nomination is not in its way", claimed, nothing, func(p *outrank.Pod) { p.Name = "q" })
	add("Namespace", "its own nomination is not in its way", halfYard(pod("p", 100, "1", nominated("a"), namespace("team"))), nothing, namespace("team"))
	add("Labels", "", yard(pod("hermit", 1000, "0", on("a"), apart("shunned"))), nothing, app("shunned"))
	leaves := lowly("low-a", 1, "a")
	leaving(outrank.PreemptionByScheduler)(leaves)
	add("NominatedNodeName", "it waits there", halfYard(leaves), nothing, nominated("a"))
	add("NodeName", "", yard(), nothing, on("b"))
	add("Priority", "", yard(), nothing, func(p *outrank.Pod) { p.Priority = outrank.Priority(1) })
	add("Priority", "none and one below 0", halfYard(lowly("low-a", -3, "a")), func(p *outrank.Pod) { p.Priority = nil }, func(p *outrank.Pod) { p.Priority = outrank.Priority(-3) })
	add("PreemptionPolicy", "", yard(), nothing, func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever })
}

// addAmounts varies what the pod takes.
func addAmounts(add adder) {
	add("Containers[].Requests", "cpu", yard(), asking("cpu", "1"), asking("cpu", "1001m"))
	add("Containers[].Requests", "memory", yard(), asking("memory", "1Gi"), asking("memory", "1073741825"))
	add("Containers[].Requests", "the third column", yard(), asking("ephemeral-storage", "1Gi"), asking("ephemeral-storage", "2Gi"))
	add("Containers[].Requests", "no column", yard(), asking("example.com/gpu", "1"), asking("example.com/gpu", "2"))
	add("Containers[].Requests", "one more resource", yard(), asking("cpu", "1"), asking("cpu", "1", "example.com/gpu", "2"))
	taken := yard(pod("holder", 1000, "0", on("a"), hostPort(80, "10.0.0.1", "TCP")))
	add("Containers[].Ports[].HostPort", "", taken, hostPort(80, "10.0.0.1", "TCP"), hostPort(81, "10.0.0.1", "TCP"))
	add("Containers[].Ports[].HostIP", "", taken, hostPort(80, "", "TCP"), hostPort(80, "10.0.0.2", "TCP"))
	add("Containers[].Ports[].Protocol", "", taken, hostPort(80, "10.0.0.1", ""), hostPort(80, "10.0.0.1", "UDP"))
	sidecar := func(number int32, ip, protocol string) with {
		return helper(outrank.Container{Sidecar: true, Ports: []outrank.Port{{HostPort: number, HostIP: ip, Protocol: protocol}}})
	}
	add("InitContainers[].Ports[].HostPort", "", taken, sidecar(80, "10.0.0.1", "TCP"), sidecar(81, "10.0.0.1", "TCP"))
	add("InitContainers[].Ports[].HostIP", "", taken, sidecar(80, "10.0.0.1", "TCP"), sidecar(80, "10.0.0.2", "TCP"))
	add("InitContainers[].Ports[].Protocol", "", taken, sidecar(80, "10.0.0.1", "TCP"), sidecar(80, "10.0.0.1", "UDP"))
	initial := func(cpu string, sidecar bool) with {
		return helper(outrank.Container{Sidecar: sidecar, Requests: resource.MustList("cpu", cpu)})
	}
	add("InitContainers[].Requests", "", yard(), initial("1", false), initial("2", false))
	add("InitContainers[].Sidecar", "", yard(), initial("1", false), initial("1", true))
	whole := func(cpu string) with {
		return func(p *outrank.Pod) { p.Resources = &resource.Requirements{Requests: resource.MustList("cpu", cpu)} }
	}
	add("Resources.Requests", "", yard(), whole("1"), whole("2"))
	add("Overhead", "", yard(), nothing, func(p *outrank.Pod) { p.Overhead = resource.MustList("cpu", "1m") })
}

// addNodeDemands varies what the pod demands of its node.
func addNodeDemands(add adder) {
	tainted := yard()
	tainted.Nodes[0].Taints = []outrank.Taint{{Key: "dedicated", Value: "x", Effect: outrank.NoSchedule}}
	tolerates := func(key string, op outrank.TolerationOperator, value string, effect outrank.TaintEffect) with {
		return func(p *outrank.Pod) {
			p.Tolerations = []outrank.Toleration{{Key: key, Operator: op, Value: value, Effect: effect}}
		}
	}
	base := tolerates("dedicated", outrank.TolerationEqual, "x", outrank.NoSchedule)
	add("Tolerations[].Key", "", tainted, base, tolerates("gpu", outrank.TolerationEqual, "x", outrank.NoSchedule))
	add("Tolerations[].Operator", "", tainted, tolerates("dedicated", outrank.TolerationExists, "", outrank.NoSchedule),
		tolerates("dedicated", outrank.TolerationEqual, "", outrank.NoSchedule))
	add("Tolerations[].Value", "", tainted, base, tolerates("dedicated", outrank.TolerationEqual, "y", outrank.NoSchedule))
	add("Tolerations[].Effect", "", tainted, base, tolerates("dedicated", outrank.TolerationEqual, "x", outrank.NoExecute))
	add("NodeSelector", "key", yard(), chooses("kind", "a"), chooses("other", "a"))
	add("NodeSelector", "value", yard(), chooses("kind", "a"), chooses("kind", "b"))
	for _, r := range [...]struct {
		field string
		a, b  outrank.NodeSelectorTerm
	}{
		{"MatchExpressions[].Key", byLabel("kind", outrank.In, "a"), byLabel("other", outrank.In, "a")},
		{"MatchExpressions[].Operator", byLabel("kind", outrank.In, "a"), byLabel("kind", outrank.NotIn, "a")},
		{"MatchExpressions[].Values", byLabel("kind", outrank.In, "a"), byLabel("kind", outrank.In, "b")},
		{"MatchFields[].Operator", byName(outrank.In, "a"), byName(outrank.NotIn, "a")},
		{"MatchFields[].Values", byName(outrank.NotIn, "a"), byName(outrank.NotIn, "b")},
	} {
		demand := func(t outrank.NodeSelectorTerm) (affinity, volume with) {
			s := &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{t}}
			return func(p *outrank.Pod) { p.Affinity.NodeAffinity = s }, has(outrank.Volume{Claim: "local", Node: s})
		}
		affinityA, volumeA := demand(r.a)
		affinityB, volumeB := demand(r.b)
		add("Affinity.NodeAffinity.NodeSelectorTerms[]."+r.field, "", yard(), affinityA, affinityB)
		if len(r.a.MatchExpressions) > 0 {
			add("Volumes[].Node.NodeSelectorTerms[]."+r.field, "", yard(), volumeA, volumeB)
		}
	}
	features := yard()
	features.Release = outrank.V1_37
	features.Nodes[1].DeclaredFeatures = []string{"UserNamespacesHostNetworkSupport", "RestartAllContainersOnContainerExits", "VolumeBindMountOptions"}
	network := func(host bool, users *bool) with {
		return func(p *outrank.Pod) { p.HostNetwork, p.HostUsers = host, users }
	}
	add("HostNetwork", "", features, network(false, new(bool)), network(true, new(bool)))
	add("HostUsers", "", features, network(true, nil), network(true, new(bool)))
	restarts := func(all bool) with { return func(p *outrank.Pod) { p.Containers[0].RestartsAll = all } }
	add("Containers[].RestartsAll", "", features, restarts(false), restarts(true))
	add("InitContainers[].RestartsAll", "", features, helper(outrank.Container{}), helper(outrank.Container{RestartsAll: true}))
	mounts := func(options bool) with { return func(p *outrank.Pod) { p.Containers[0].BindMountOptions = options } }
	add("Containers[].BindMountOptions", "", features, mounts(false), mounts(true))
	add("InitContainers[].BindMountOptions", "", features, helper(outrank.Container{}), helper(outrank.Container{BindMountOptions: true}))
	two := func(first, second outrank.NodeSelectorTerm) with {
		return func(p *outrank.Pod) {
			p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{first, second}}
		}
	}
	never := byLabel("kind", outrank.In, "nothing")
	add("Affinity.NodeAffinity.NodeSelectorTerms[].MatchExpressions[].Values", "the second term", yard(),
		two(never, byLabel("kind", outrank.In, "a")), two(never, byLabel("kind", outrank.In, "b")))
}

func byLabel(key string, op outrank.Operator, values ...string) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{requirement(key, op, values...)}}
}

func byName(op outrank.Operator, name string) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{requirement(outrank.FieldName, op, name)}}
}

func chooses(key, value string) with {
	return func(p *outrank.Pod) { p.NodeSelector = map[string]string{key: value} }
}
