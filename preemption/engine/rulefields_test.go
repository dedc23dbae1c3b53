package engine_test

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// termVariation is two pod affinity terms that differ in one field. Of friends
// they pick one pod on node a and another on node b, or one of the two and
// both. Of pods labelled as the caller is, one term picks the pod and the other
// does not. own gives the pod with the term its labels.
type termVariation struct {
	field string
	a, b  outrank.PodAffinityTerm
	own   with
}

// friends is a yard with a pod on every node that terms pick.
func friends() *outrank.Cluster {
	return yard(
		pod("fa", 1000, "0", on("a"), tagged("app", "fa", "tier", "x", "role", "r1", "all", "yes")),
		pod("fb", 1000, "0", on("b"), namespace("team"), tagged("app", "fb", "tier", "y", "role", "fa", "all", "yes")),
		pod("fc", 1000, "0", on("c"), tagged("app", "fc", "tier", "z", "lone", "yes")),
	)
}

func termVariations() []termVariation {
	anywhere := &outrank.LabelSelector{}
	expression := func(key string, op outrank.Operator, value string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: key, Operator: op, Values: []string{value}}}}
	}
	byLabels := func(key, value string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	selecting := func(s *outrank.LabelSelector) outrank.PodAffinityTerm {
		return outrank.PodAffinityTerm{LabelSelector: s, NamespaceSelector: anywhere, TopologyKey: "kind"}
	}
	from := func(s *outrank.LabelSelector, namespaces ...string) outrank.PodAffinityTerm {
		return outrank.PodAffinityTerm{LabelSelector: byLabels("all", "yes"), NamespaceSelector: s, Namespaces: namespaces, TopologyKey: "kind"}
	}
	matching := func(keys, unlike []string) outrank.PodAffinityTerm {
		t := selecting(byLabels("all", "yes"))
		t.MatchLabelKeys, t.MismatchLabelKeys = keys, unlike
		return t
	}
	within := func(key string) outrank.PodAffinityTerm {
		t := selecting(byLabels("lone", "yes"))
		t.TopologyKey = key
		return t
	}
	tier := []string{"tier"}
	return []termVariation{
		{"LabelSelector.MatchLabels", selecting(byLabels("app", "fa")), selecting(byLabels("app", "fb")), nothing},
		{"LabelSelector.MatchExpressions[].Key", selecting(expression("app", outrank.In, "fa")), selecting(expression("role", outrank.In, "fa")), nothing},
		{"LabelSelector.MatchExpressions[].Operator", selecting(expression("app", outrank.In, "fa")), selecting(expression("app", outrank.NotIn, "fa")), nothing},
		{"LabelSelector.MatchExpressions[].Values", selecting(expression("app", outrank.In, "fa")), selecting(expression("app", outrank.In, "fb")), nothing},
		{"Namespaces", from(nil, "default"), from(nil, "team"), nothing},
		{"NamespaceSelector.MatchLabels", from(byLabels("env", "dev")), from(byLabels("env", "prod")), nothing},
		{"NamespaceSelector.MatchExpressions[].Key", from(expression("env", outrank.In, "prod")), from(expression("other", outrank.In, "prod")), nothing},
		{"NamespaceSelector.MatchExpressions[].Operator", from(expression("env", outrank.In, "prod")), from(expression("env", outrank.NotIn, "prod")), nothing},
		{"NamespaceSelector.MatchExpressions[].Values", from(expression("env", outrank.In, "dev")), from(expression("env", outrank.In, "prod")), nothing},
		{"TopologyKey", within("zone"), within("rack"), nothing},
		{"MatchLabelKeys", matching(nil, nil), matching(tier, nil), tagged("tier", "y")},
		{"MismatchLabelKeys", matching(nil, nil), matching(nil, tier), tagged("tier", "x")},
	}
}

// addSpread varies topology spread constraints.
func addSpread(add adder) {
	webA := pod("web-a", 1000, "0", on("a"), tagged("app", "web", "tier", "x", "role", "db"))
	dbB := pod("db-b", 1000, "0", on("b"), tagged("app", "db", "tier", "y", "role", "web"))
	webB := pod("web-b", 1000, "0", on("b"), tagged("app", "web", "tier", "y", "role", "web"))
	type constraint = outrank.TopologySpreadConstraint
	vary := func(field string, c *outrank.Cluster, a, b func(*constraint)) {
		spreads := func(change func(*constraint)) with {
			s := constraint{MaxSkew: 1, TopologyKey: "kind", LabelSelector: selects("web")}
			change(&s)
			return all(tagged("app", "web", "tier", "y"), chooses("site", "s"), func(p *outrank.Pod) { p.TopologySpreadConstraints = []constraint{s} })
		}
		add("TopologySpreadConstraints[]."+field, "", c, spreads(a), spreads(b))
	}
	by := func(key string, op outrank.Operator, value string) func(*constraint) {
		return func(s *constraint) {
			s.LabelSelector = &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: key, Operator: op, Values: []string{value}}}}
		}
	}
	none := func(*constraint) {}
	uneven := yard(webA, dbB)
	vary("MaxSkew", uneven, none, func(s *constraint) { s.MaxSkew = 2 })
	vary("TopologyKey", uneven, none, func(s *constraint) { s.TopologyKey = "floor" })
	vary("WhenUnsatisfiable", uneven, none, func(s *constraint) { s.WhenUnsatisfiable = outrank.ScheduleAnyway })
	vary("LabelSelector.MatchLabels", uneven, none, func(s *constraint) { s.LabelSelector = selects("db") })
	vary("LabelSelector.MatchExpressions[].Key", uneven, by("app", outrank.In, "web"), by("role", outrank.In, "web"))
	vary("LabelSelector.MatchExpressions[].Operator", uneven, by("app", outrank.In, "web"), by("app", outrank.NotIn, "web"))
	vary("LabelSelector.MatchExpressions[].Values", uneven, by("app", outrank.In, "web"), by("app", outrank.In, "db"))
	vary("MatchLabelKeys", uneven, none, func(s *constraint) { s.MatchLabelKeys = []string{"tier"} })
	even := yard(webA, webB)
	vary("MinDomains", even, none, func(s *constraint) { s.MinDomains = 3 })
	elsewhere := yard(webA, webB)
	elsewhere.Nodes = append(elsewhere.Nodes, &outrank.Node{Name: "d", Labels: map[string]string{"kind": "d"}})
	vary("NodeAffinityPolicy", elsewhere, none, func(s *constraint) { s.NodeAffinityPolicy = outrank.NodeIgnore })
	tainted := yard(webA, webB)
	tainted.Nodes = append(tainted.Nodes, &outrank.Node{
		Name: "d", Labels: map[string]string{"kind": "d", "site": "s"}, Taints: []outrank.Taint{{Key: "k", Effect: outrank.NoSchedule}},
	})
	vary("NodeTaintsPolicy", tainted, none, func(s *constraint) { s.NodeTaintsPolicy = outrank.NodeHonor })
}

// volumePair is a volume that a pod in the cluster has, and two of another pod
// that differ in one field.
type volumePair struct {
	field       string
	there, a, b outrank.Volume
}

func volumePairs() []volumePair {
	claim := func(name, driver, handle string, once bool) outrank.Volume {
		return outrank.Volume{Claim: name, Driver: driver, Handle: handle, OncePod: once}
	}
	disk := func(kind outrank.DiskKind, id string, readOnly bool, monitors ...string) outrank.Volume {
		return outrank.Volume{Disk: outrank.Disk{Kind: kind, ID: id, ReadOnly: readOnly, Monitors: monitors}}
	}
	gce := outrank.GCEPersistentDisk
	return []volumePair{
		{"Claim", claim("own", "", "", true), claim("own", "", "", true), claim("other", "", "", true)},
		{"Driver", claim("data", "disk", "h1", false), claim("data", "disk", "h2", false), claim("data", "file", "h2", false)},
		{"Handle", claim("data", "disk", "h1", false), claim("data", "disk", "h1", false), claim("data", "disk", "h2", false)},
		{"Disk.Kind", disk(gce, "d1", false), disk(gce, "d1", false), disk(outrank.ISCSI, "d1", false)},
		{"Disk.ID", disk(gce, "d1", false), disk(gce, "d1", false), disk(gce, "d2", false)},
		{"Disk.ReadOnly", disk(gce, "d1", true), disk(gce, "d1", true), disk(gce, "d1", false)},
		{"Disk.Monitors", disk(outrank.RBD, "d1", false, "m1"), disk(outrank.RBD, "d1", false, "m1"), disk(outrank.RBD, "d1", false, "m2")},
	}
}

// addVolumes varies volumes.
func addVolumes(add adder) {
	for _, v := range volumePairs() {
		c := yard(pod("user", 1000, "0", on("a"), has(v.there)))
		c.Nodes[0].AttachLimits = map[string]int64{"disk": 1}
		add("Volumes[]."+v.field, "", c, has(v.a), has(v.b))
	}
	once := yard(pod("user", 1000, "0", on("b"), has(outrank.Volume{Claim: "own"})))
	add("Volumes[].OncePod", "", once, has(outrank.Volume{Claim: "own"}), has(outrank.Volume{Claim: "own", OncePod: true}))
	zonal := func(key, zone string) with {
		return has(outrank.Volume{Claim: "zonal", Zones: map[string][]string{key: {zone}}})
	}
	add("Volumes[].State", "", yard(), has(outrank.Volume{Claim: "c"}), has(outrank.Volume{Claim: "c", State: outrank.ClaimDeleting}))
	add("Volumes[].State", "which each node tells", yard(), has(outrank.Volume{Claim: "c", Ephemeral: true, MissingVolume: "v"}),
		has(outrank.Volume{Claim: "c", Ephemeral: true, MissingVolume: "v", State: outrank.ClaimVolumeMissing}))
	away := outrank.Volume{Claim: "c", Zones: map[string][]string{outrank.ZoneLabel: {"zb"}}}
	along := away
	along.Ephemeral = true
	add("Volumes[].Ephemeral", "", yard(), has(away), has(along))
	add("Volumes[].Zones", "value", yard(), zonal(outrank.ZoneLabel, "za"), zonal(outrank.ZoneLabel, "zb"))
	add("Volumes[].Zones", "key", yard(), zonal(outrank.ZoneLabel, "za"), zonal(outrank.RegionLabel, "za"))
}

// resourceOf names a resource of each sort in a snapshot.
var resourceOf = []struct {
	sort string
	name resource.Name
}{{"cpu", resource.CPU}, {"memory", resource.Memory}, {"the third column", resource.EphemeralStorage}, {"no column", "example.com/gpu"}}
