package engine_test

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/resource"
)

// residentIrrelevant are the fields of a pod in the cluster that make no
// difference to the victims.
var residentIrrelevant = map[string]string{
	"Value":                   "the caller's own",
	"UID":                     "pods are told apart by their names",
	"Owner.Kind":              "for reports",
	"Owner.Name":              "for reports",
	"PriorityClassName":       "the priority counts",
	"PreemptionPolicy":        "it does not preempt",
	"ResizeDeferred":          "nothing looks at it in v1.36",
	"Containers[].Name":       "a name",
	"Containers[].Limits":     "requests count",
	"Containers[].Sidecar":    "only init containers are sidecars",
	"InitContainers[].Name":   "a name",
	"InitContainers[].Limits": "requests count",
	"Resources.Limits":        "requests count",
	"NodeSelector":            "it has its place",
	"Affinity.NodeAffinity.NodeSelectorTerms[].MatchExpressions[].Key":      "it has its place",
	"Affinity.NodeAffinity.NodeSelectorTerms[].MatchExpressions[].Operator": "it has its place",
	"Affinity.NodeAffinity.NodeSelectorTerms[].MatchExpressions[].Values":   "it has its place",
	"Affinity.NodeAffinity.NodeSelectorTerms[].MatchFields[].Key":           "it has its place",
	"Affinity.NodeAffinity.NodeSelectorTerms[].MatchFields[].Operator":      "it has its place",
	"Affinity.NodeAffinity.NodeSelectorTerms[].MatchFields[].Values":        "it has its place",
	"Tolerations[].Key":                 "it has its place",
	"Tolerations[].Operator":            "it has its place",
	"Tolerations[].Value":               "it has its place",
	"Tolerations[].Effect":              "it has its place",
	"HostNetwork":                       "it has its place",
	"HostUsers":                         "it has its place",
	"Containers[].RestartsAll":          "it has its place",
	"InitContainers[].RestartsAll":      "it has its place",
	"Containers[].BindMountOptions":     "it has its place",
	"InitContainers[].BindMountOptions": "it has its place",
	"Volumes[].OncePod":                 "a claim in use is in use",
	"Volumes[].State":                   "it runs all the same",
	"Volumes[].MissingVolume":           "it runs all the same",
	"Volumes[].Zones":                   "it has its place",
	"Volumes[].Node.NodeSelectorTerms[].MatchExpressions[].Key":      "it has its place",
	"Volumes[].Node.NodeSelectorTerms[].MatchExpressions[].Operator": "it has its place",
	"Volumes[].Node.NodeSelectorTerms[].MatchExpressions[].Values":   "it has its place",
	"Volumes[].Node.NodeSelectorTerms[].MatchFields[].Key":           "it has its place",
	"Volumes[].Node.NodeSelectorTerms[].MatchFields[].Operator":      "it has its place",
	"Volumes[].Node.NodeSelectorTerms[].MatchFields[].Values":        "it has its place",
	"Group":          "only a preemptor that is a group takes groups as a whole",
	"OS":             "the kubelet's business",
	"StrictGroups":   "the kubelet's business",
	"ResourceClaims": "no rule looks at devices",
	"Grace":          "how long it takes to end counts for nothing",
	"Ready":          "budgets say what they allow",
	"QOSClass":       "the kubelet's business",
	"Static":         "the kubelet's business",
	"Mirror":         "the kubelet's business",
	"Phase":          "a pod that has finished is refused, and no other phase counts",
}

func init() {
	// A running pod demands nothing of other pods except by its anti-affinity.
	for _, t := range termVariations() {
		residentIrrelevant["Affinity.PodAffinity[]."+t.field] = "only anti-affinity works both ways"
	}
	for _, field := range []string{
		"MaxSkew", "TopologyKey", "WhenUnsatisfiable", "LabelSelector.MatchLabels", "LabelSelector.MatchExpressions[].Key",
		"LabelSelector.MatchExpressions[].Operator", "LabelSelector.MatchExpressions[].Values", "MinDomains",
		"NodeAffinityPolicy", "NodeTaintsPolicy", "MatchLabelKeys",
	} {
		residentIrrelevant["TopologySpreadConstraints[]."+field] = "the preemptor's own constraints count"
	}
}

// resident is a pod on node a that leaves room for others unless it is changed.
func resident(options ...with) *outrank.Pod {
	return pod("r", 1000, "0", append([]with{on("a")}, options...)...)
}

// lowest makes a resident the pod that would leave first.
func lowest(p *outrank.Pod) { p.Priority = outrank.Priority(1) }

type residentAdder func(field, why string, c *outrank.Cluster, asker, a, b with)

// residentVariations are pairs of pods in the cluster that differ in one field,
// each with a preemptor for which the field makes a difference.
func residentVariations() []variation {
	var vs []variation
	add := func(field, why string, c *outrank.Cluster, asker, a, b with) {
		vs = append(vs, variation{field: field, why: why, c: c, a: resident(a), b: resident(b), asker: caller(asker)})
	}
	addResidentIdentity(add)
	addResidentTimes(add)
	addResidentAmounts(add)
	addResidentSidecars(add)
	for _, t := range termVariations() {
		// On node c, where only the topology brings it close to the others, unless
		// it is to be close itself.
		at := on("a")
		if t.field == "TopologyKey" {
			at = on("c")
		}
		repels := func(term outrank.PodAffinityTerm) with {
			return all(t.own, at, func(p *outrank.Pod) { p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{term} })
		}
		add("Affinity.PodAntiAffinity[]."+t.field, "", yard(), nothing, repels(t.a), repels(t.b))
	}
	for _, v := range volumePairs() {
		c := yard()
		c.Nodes[0].AttachLimits = map[string]int64{"disk": 1}
		add("Volumes[]."+v.field, "", c, has(v.there), has(v.a), has(v.b))
	}
	own := outrank.Volume{Claim: "own", OncePod: true}
	along := own
	along.Ephemeral = true
	add("Volumes[].Ephemeral", "", yard(), has(own), has(own), has(along))
	return vs
}

// addResidentIdentity varies names, labels, nodes and priorities.
func addResidentIdentity(add residentAdder) {
	half := all(lowest, asking("cpu", "500m"))
	named := func(name string) with { return all(half, func(p *outrank.Pod) { p.Name = name }) }
	add("Name", "the last by name goes", halfYard(pod("m", 1, "500m", on("a"))), asking("cpu", "500m"), named("l"), named("n"))
	add("Namespace", "the last by namespace goes", halfYard(pod("m", 1, "500m", on("a"), namespace("other"))), asking("cpu", "500m"), half, all(half, namespace("team")))
	guarded := halfYard()
	guarded.Budgets = []*outrank.PodDisruptionBudget{{Name: "b", Namespace: "team", Selector: selects("guarded")}}
	victim := all(lowest, asking("cpu", "1"), tagged("app", "guarded"))
	add("Namespace", "a budget covers it", guarded, nothing, victim, all(victim, namespace("team")))
	add("Labels", "a budget covers it", guarded, nothing, all(victim, namespace("team")), all(victim, namespace("team"), tagged("app", "free")))
	add("Labels", "the preemptor stays away from it", yard(), apart("foe"), tagged("app", "friend"), tagged("app", "foe"))
	add("Labels", "the preemptor is spread", yard(), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("fa")}), tagged("app", "fa"), tagged("app", "web"))
	add("NodeName", "", halfYard(), nothing, asking("cpu", "1"), all(asking("cpu", "1"), on("b")))
	booked := all(func(p *outrank.Pod) { p.NodeName, p.Priority = "", outrank.Priority(100) }, asking("cpu", "1"), nominated("a"))
	add("SchedulingGates", "its nomination does not count", in36(halfYard()), nothing, booked, all(booked, gated("quota")))
	add("SchedulerName", "its nomination does not count", halfYard(), nothing, booked, all(booked, scheduledBy("mine")))
	add("DeletionTimestamp", "its nomination does not count", halfYard(), nothing, booked, all(booked, func(p *outrank.Pod) { p.DeletionTimestamp = gen.Now }))
	waits := func(node string) with { return all(asking("cpu", "1"), on(""), nominated(node)) }
	add("NominatedNodeName", "", halfYard(), nothing, waits("a"), waits("b"))
	outranking := func(priority *int32) with {
		return all(asking("cpu", "1"), func(p *outrank.Pod) { p.Priority = priority })
	}
	add("Priority", "", halfYard(), nothing, outranking(outrank.Priority(1)), outranking(outrank.Priority(3)))
	add("Priority", "none", halfYard(), nothing, outranking(nil), outranking(outrank.Priority(3)))
	claims := func(priority int32) with {
		return all(waits("a"), func(p *outrank.Pod) { p.Priority = outrank.Priority(priority) })
	}
	add("Priority", "of a nominated pod", halfYard(), nothing, claims(100), claims(99))
}

// addResidentTimes varies the start of the pod and whether it is leaving.
func addResidentTimes(add residentAdder) {
	// low-b is of the same priority and started an hour ago.
	started := func(ago time.Duration) with {
		return all(asking("cpu", "1"), func(p *outrank.Pod) {
			p.Priority, p.StartTime = outrank.Priority(2), gen.Now.Add(-ago)
		})
	}
	unstarted := all(started(0), func(p *outrank.Pod) { p.StartTime = time.Time{} })
	beyond := halfYard()
	beyond.Pods[0].StartTime = gen.Now.Add(time.Second)
	add("StartTime", "", halfYard(), nothing, started(2*time.Hour), started(30*time.Minute))
	add("StartTime", "within a second", halfYard(), nothing, started(time.Hour+1), started(time.Hour-1))
	add("StartTime", "none", halfYard(), nothing, started(2*time.Hour), unstarted)
	add("StartTime", "none, and another in the future", beyond, nothing, started(-2*time.Second), unstarted)
	due := all(lowest, asking("cpu", "1"), leaving(outrank.PreemptionByScheduler))
	stays := all(due, func(p *outrank.Pod) { p.DeletionTimestamp = time.Time{} })
	add("DeletionTimestamp", "it is waited for", halfYard(), nominated("a"), stays, due)
	leavesWeb := all(tagged("app", "fa"), func(p *outrank.Pod) { p.DeletionTimestamp = gen.Now })
	add("DeletionTimestamp", "it is not counted", yard(), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("fa")}), tagged("app", "fa"), leavesWeb)
	add("DisruptionReason", "", halfYard(), nominated("a"), due, all(due, leaving(outrank.TerminationByKubelet)))
}

// addResidentAmounts varies what the pod takes.
func addResidentAmounts(add residentAdder) {
	for _, r := range resourceOf {
		one := resource.List{r.name: amounts("1")[r.name]}
		wants := all(asking(), requests(one))
		takes := func(change func(p *outrank.Pod, l resource.List), l resource.List) with {
			return all(lowest, asking(), func(p *outrank.Pod) { change(p, l) })
		}
		vary := func(field, why string, change func(p *outrank.Pod, l resource.List)) {
			add(field, r.sort+why, halfYard(), wants, takes(change, nil), takes(change, one))
		}
		vary("Containers[].Requests", "", func(p *outrank.Pod, l resource.List) { p.Containers[0].Requests = l })
		vary("Containers[].AllocatedResources", "", func(p *outrank.Pod, l resource.List) {
			p.Containers[0].AllocatedResources, p.Containers[0].Reported = l, true
		})
		vary("Containers[].Actual", "", func(p *outrank.Pod, l resource.List) { p.Containers[0].Actual = l })
		vary("Containers[].AllocatedResources", " beside Actual", func(p *outrank.Pod, l resource.List) {
			p.Containers[0].AllocatedResources, p.Containers[0].Actual = l, resource.List{}
		})
		vary("Containers[].Actual", " beside AllocatedResources", func(p *outrank.Pod, l resource.List) {
			p.Containers[0].AllocatedResources, p.Containers[0].Actual = resource.List{}, l
		})
		vary("InitContainers[].Requests", "", func(p *outrank.Pod, l resource.List) { helper(outrank.Container{Requests: l})(p) })
		vary("InitContainers[].AllocatedResources", "", func(p *outrank.Pod, l resource.List) {
			helper(outrank.Container{Sidecar: true, AllocatedResources: l, Reported: true})(p)
		})
		vary("InitContainers[].Actual", "", func(p *outrank.Pod, l resource.List) {
			helper(outrank.Container{Sidecar: true, Actual: l})(p)
		})
		add("Containers[].Reported", r.sort, in36(halfYard()), wants, takes(func(p *outrank.Pod, l resource.List) {
			p.Containers[0].AllocatedResources = l
		}, one), takes(func(p *outrank.Pod, l resource.List) {
			p.Containers[0].AllocatedResources, p.Containers[0].Reported = l, true
		}, one))
		add("InitContainers[].Reported", r.sort, in36(halfYard()), wants,
			all(lowest, asking(), helper(outrank.Container{Sidecar: true, AllocatedResources: one})),
			all(lowest, asking(), helper(outrank.Container{Sidecar: true, AllocatedResources: one, Reported: true})))
		vary("Overhead", "", func(p *outrank.Pod, l resource.List) { p.Overhead = l })
		if r.name == resource.CPU || r.name == resource.Memory {
			vary("Resources.Requests", "", func(p *outrank.Pod, l resource.List) { p.Resources = &resource.Requirements{Requests: l} })
			named := func(p *outrank.Pod) {
				p.Resources = &resource.Requirements{Requests: resource.List{r.name: resource.Quantity{}}}
			}
			vary("AllocatedResources", "", func(p *outrank.Pod, l resource.List) {
				named(p)
				p.AllocatedResources, p.Actual = l, resource.List{}
			})
			vary("Actual", "", func(p *outrank.Pod, l resource.List) {
				named(p)
				p.Actual = l
			})
			reported := func(reported bool) with {
				return takes(func(p *outrank.Pod, l resource.List) {
					named(p)
					p.AllocatedResources, p.Reported = l, reported
				}, one)
			}
			add("Reported", r.sort, halfYard(), wants, reported(false), reported(true))
		}
		resizing := all(takes(func(p *outrank.Pod, l resource.List) {
			p.Containers[0].Requests, p.Containers[0].Actual = l, resource.List{}
		}, one))
		add("ResizeInfeasible", r.sort, halfYard(), wants, resizing, all(resizing, func(p *outrank.Pod) { p.ResizeInfeasible = true }))
	}
}

// addResidentSidecars varies ports, and what runs beside the containers.
func addResidentSidecars(add residentAdder) {
	wants := hostPort(80, "10.0.0.1", "TCP")
	sidecar := func(number int32, ip, protocol string) with {
		return helper(outrank.Container{Sidecar: true, Ports: []outrank.Port{{HostPort: number, HostIP: ip, Protocol: protocol}}})
	}
	for prefix, take := range map[string]func(int32, string, string) with{"Containers": hostPort, "InitContainers": sidecar} {
		add(prefix+"[].Ports[].HostPort", "", yard(), wants, take(80, "10.0.0.1", "TCP"), take(81, "10.0.0.1", "TCP"))
		add(prefix+"[].Ports[].HostPort", "none", yard(), wants, take(80, "10.0.0.1", "TCP"), take(0, "10.0.0.1", "TCP"))
		add(prefix+"[].Ports[].HostIP", "", yard(), wants, take(80, "", "TCP"), take(80, "10.0.0.2", "TCP"))
		add(prefix+"[].Ports[].Protocol", "", yard(), wants, take(80, "10.0.0.1", ""), take(80, "10.0.0.1", "UDP"))
	}
	initial := func(c outrank.Container, side bool) with {
		c.Sidecar = side
		return all(lowest, asking("cpu", "500m"), helper(c))
	}
	cpu := outrank.Container{Requests: resource.MustList("cpu", "500m")}
	add("InitContainers[].Sidecar", "requests", halfYard(), asking("cpu", "500m"), initial(cpu, false), initial(cpu, true))
	web := outrank.Container{Ports: []outrank.Port{{HostPort: 80}}}
	add("InitContainers[].Sidecar", "ports", yard(), wants, helper(web), func(p *outrank.Pod) {
		helper(web)(p)
		p.InitContainers[0].Sidecar = true
	})
}
