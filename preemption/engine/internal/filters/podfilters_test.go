package filters_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/resource"
)

func anything(*rapid.T, *outrank.Node) {}

// request returns what the containers of a pod ask for together.
func request(p *outrank.Pod, name resource.Name) (sum int64) {
	for i := range p.Containers {
		quantity := p.Containers[i].Requests[name]
		sum += quantity.Value()
	}
	return sum
}

func TestPropertyResources(t *testing.T) {
	names := []resource.Name{"cpu", "memory", "ephemeral-storage", "example.com/gpu"} // in the order of the reasons
	follows(t, preemption.NodeResourcesFit, world{
		node: func(t *rapid.T, n *outrank.Node) {
			n.Allocatable = resource.List{resource.Pods: resource.New(rapid.Int64Range(0, 5).Draw(t, "places"))}
			for _, name := range names {
				n.Allocatable[name] = resource.New(rapid.Int64Range(0, 4).Draw(t, string(name)))
			}
		},
		pod: func(t *rapid.T, p *outrank.Pod) {
			for range rapid.IntRange(0, 2).Draw(t, "containers") {
				asks := resource.List{}
				for _, name := range names {
					asks[name] = resource.New(rapid.SampledFrom([]int64{0, 0, 1, 3}).Draw(t, string(name)))
				}
				p.Containers = append(p.Containers, outrank.Container{Requests: asks})
			}
		},
	}, func(s *scene) (v verdict) { // group 7.7
		places := s.node.Allocatable[resource.Pods]
		if int64(len(s.on("n0"))+1) > places.Value() {
			v = verdict{filters.Unschedulable, []string{"Too many pods"}}
		}
		for _, name := range names {
			offer := s.node.Allocatable[name]
			asks, free := request(s.pod, name), offer.Value()
			for _, p := range s.on("n0") {
				free -= request(p, name)
			}
			if asks == 0 || asks <= free {
				continue
			}
			v.reasons = append(v.reasons, "Insufficient "+string(name))
			v.code = max(v.code, filters.Unschedulable)
			if asks > offer.Value() {
				v.code = filters.UnschedulableAndUnresolvable
			}
		}
		return v
	})
}

func TestPropertyPorts(t *testing.T) {
	follows(t, preemption.NodePorts, world{
		node: anything,
		pod: func(t *rapid.T, p *outrank.Pod) {
			addresses := []string{"", "0.0.0.0", "10.0.0.1", "10.0.0.2"}
			if p.Name != "asks" {
				addresses = []string{"10.0.0." + p.Name[1:]} // no two pods hold the same port (rule 7.6.7)
			}
			if p.Name == "p0" {
				addresses = []string{"", "0.0.0.0"}
			}
			p.Containers = []outrank.Container{{Ports: []outrank.Port{{
				HostIP:   rapid.SampledFrom(addresses).Draw(t, "address"),
				HostPort: rapid.SampledFrom([]int32{0, 80, 443}).Draw(t, "port"),
				Protocol: rapid.SampledFrom([]string{"", "TCP", "UDP"}).Draw(t, "protocol"),
			}}}}
		},
	}, func(s *scene) verdict { // group 7.6
		wanted := s.pod.Containers[0].Ports[0]
		for _, p := range s.on("n0") {
			port := p.Containers[0].Ports[0]
			protocol := (port.Protocol == "UDP") == (wanted.Protocol == "UDP")
			everywhere := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
			address := everywhere(port.HostIP) || everywhere(wanted.HostIP) || port.HostIP == wanted.HostIP
			if port.HostPort != 0 && port.HostPort == wanted.HostPort && protocol && address {
				return verdict{filters.Unschedulable, []string{"node(s) didn't have free ports for the requested pod ports"}}
			}
		}
		return passes
	})
}

func TestPropertyVolumeLimits(t *testing.T) {
	follows(t, preemption.NodeVolumeLimits, world{
		node: func(t *rapid.T, n *outrank.Node) {
			if rapid.IntRange(0, 3).Draw(t, "limited") > 0 {
				n.AttachLimits = map[string]int64{"ebs": rapid.Int64Range(0, 4).Draw(t, "limit")}
			}
		},
		pod: func(t *rapid.T, p *outrank.Pod) {
			for _, handle := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 3, rapid.ID).Draw(t, "volumes") {
				p.Volumes = append(p.Volumes, outrank.Volume{
					Claim: p.Name + "-" + handle, Driver: rapid.SampledFrom([]string{"ebs", "ebs", "efs"}).Draw(t, "driver"), Handle: handle,
				})
			}
		},
	}, func(s *scene) verdict { // rules 7.9.1 to 7.9.3
		limit, limited := s.node.AttachLimits["ebs"]
		attached, added := map[string]bool{}, 0
		for _, p := range s.on("n0") {
			for _, v := range p.Volumes {
				if v.Driver == "ebs" {
					attached[v.Handle] = true
				}
			}
		}
		for _, v := range s.pod.Volumes {
			if v.Driver == "ebs" && !attached[v.Handle] {
				added++
			}
		}
		if limited && added > 0 && int64(len(attached)+added) > limit {
			return verdict{filters.Unschedulable, []string{"node(s) exceed max volume count"}}
		}
		return passes
	})
}

func TestPropertyDisks(t *testing.T) {
	follows(t, preemption.VolumeRestrictions, world{
		node: anything,
		pod: func(t *rapid.T, p *outrank.Pod) {
			for range rapid.IntRange(0, 2).Draw(t, "disks") {
				p.Volumes = append(p.Volumes, outrank.Volume{Disk: outrank.Disk{
					Kind:     rapid.SampledFrom([]outrank.DiskKind{outrank.AWSElasticBlockStore, outrank.GCEPersistentDisk, outrank.RBD}).Draw(t, "kind"),
					ID:       rapid.SampledFrom([]string{"vol-1", "vol-2"}).Draw(t, "disk"),
					ReadOnly: rapid.Bool().Draw(t, "read only"),
				}})
				if d := &p.Volumes[len(p.Volumes)-1].Disk; d.Kind == outrank.RBD {
					d.Monitors = rapid.SampledFrom([][]string{{"m1"}, {"m2"}, {"m1", "m2"}}).Draw(t, "monitors")
				}
			}
		},
	}, func(s *scene) verdict { // rules 7.8.1 to 7.8.3
		conflict := func(a, b *outrank.Disk) bool {
			same := a.Kind == b.Kind && a.ID == b.ID
			if a.Kind == outrank.RBD {
				same = same && slices.ContainsFunc(a.Monitors, func(m string) bool { return slices.Contains(b.Monitors, m) })
			}
			return same && (a.Kind == outrank.AWSElasticBlockStore || !a.ReadOnly || !b.ReadOnly)
		}
		for _, p := range s.on("n0") {
			for i := range p.Volumes {
				for j := range s.pod.Volumes {
					if conflict(&p.Volumes[i].Disk, &s.pod.Volumes[j].Disk) {
						return verdict{filters.Unschedulable, []string{"node(s) had no available disk"}}
					}
				}
			}
		}
		return passes
	})
}

// zoned puts nodes into two zones. The node that is asked is in the first.
func zoned(t *rapid.T, n *outrank.Node) {
	n.Labels["zone"] = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone")
	if rapid.IntRange(0, 5).Draw(t, "lacks the label") == 0 {
		delete(n.Labels, "zone")
	}
}

// inZone lists the pods in the zone of a node, the pods nominated to it among them. It lists none if the node is
// in no zone.
func (s *scene) inZone(zone string) (pods []*outrank.Pod) {
	for _, n := range s.nodes {
		if at, ok := n.Labels["zone"]; ok && at == zone {
			pods = append(pods, s.on(n.Name)...)
		}
	}
	return pods
}

func TestPropertySpread(t *testing.T) {
	follows(t, preemption.PodTopologySpread, world{
		node: zoned,
		pod: func(t *rapid.T, p *outrank.Pod) {
			p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app")}
			if p.Name == "asks" {
				p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
					MaxSkew: rapid.Int32Range(1, 2).Draw(t, "skew"), TopologyKey: "zone", MinDomains: rapid.SampledFrom([]int32{0, 2, 3}).Draw(t, "domains"),
					LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				}}
			}
		},
	}, func(s *scene) verdict { // rules 7.12.2 to 7.12.12
		constraint := s.pod.TopologySpreadConstraints[0]
		zone, ok := s.node.Labels["zone"]
		if !ok {
			return verdict{filters.UnschedulableAndUnresolvable, []string{"node(s) didn't match pod topology spread constraints (missing required label)"}}
		}
		counts := map[string]int{}
		for _, n := range s.nodes {
			if zone, ok := n.Labels["zone"]; ok {
				counts[zone] += 0
				for _, p := range s.on(n.Name) {
					if p.Labels["app"] == "web" {
						counts[zone]++
					}
				}
			}
		}
		least := counts[zone]
		for _, count := range counts {
			least = min(least, count)
		}
		if len(counts) < int(constraint.MinDomains) {
			least = 0
		}
		mine := 0
		if s.pod.Labels["app"] == "web" {
			mine = 1
		}
		if counts[zone]+mine-least > int(constraint.MaxSkew) {
			return verdict{filters.Unschedulable, []string{"node(s) didn't match pod topology spread constraints"}}
		}
		return passes
	})
}

func TestPropertyInterPodAffinity(t *testing.T) {
	term := func(t *rapid.T, label string) []outrank.PodAffinityTerm {
		app := rapid.SampledFrom([]string{"", "", "web", "db"}).Draw(t, label)
		if app == "" {
			return nil
		}
		return []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": app}}, TopologyKey: "zone"}}
	}
	picks := func(terms []outrank.PodAffinityTerm, p *outrank.Pod) bool {
		return len(terms) > 0 && terms[0].LabelSelector.MatchLabels["app"] == p.Labels["app"]
	}
	follows(t, preemption.InterPodAffinity, world{
		node: zoned,
		pod: func(t *rapid.T, p *outrank.Pod) {
			p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app")}
			if p.Name == "asks" {
				p.Affinity.PodAffinity = term(t, "wants near")
			}
			if p.NominatedNodeName == "" { // what a nominated pod wants is rule 7.13.16
				p.Affinity.PodAntiAffinity = term(t, "keeps away")
			}
		},
	}, func(s *scene) verdict { // rules 7.13.1 to 7.13.9
		zone, hasZone := s.node.Labels["zone"]
		near, far := false, false // of the pod that it wants to be near
		for _, n := range s.nodes {
			at, ok := n.Labels["zone"]
			for _, p := range s.on(n.Name) {
				if ok && picks(s.pod.Affinity.PodAffinity, p) {
					near, far = near || at == zone && hasZone, true
				}
			}
		}
		first := !far && picks(s.pod.Affinity.PodAffinity, s.pod)
		if len(s.pod.Affinity.PodAffinity) > 0 && (!hasZone || !near && !first) {
			return verdict{filters.UnschedulableAndUnresolvable, []string{"node(s) didn't match pod affinity rules"}}
		}
		if !hasZone {
			return passes
		}
		for _, p := range s.inZone(zone) {
			if picks(s.pod.Affinity.PodAntiAffinity, p) {
				return verdict{filters.Unschedulable, []string{"node(s) didn't match pod anti-affinity rules"}}
			}
		}
		for _, p := range s.inZone(zone) {
			if picks(p.Affinity.PodAntiAffinity, s.pod) {
				return verdict{filters.Unschedulable, []string{"node(s) didn't satisfy existing pods anti-affinity rules"}}
			}
		}
		return passes
	})
}
