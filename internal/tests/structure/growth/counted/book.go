package main

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// twice is the factor by which the work of package preemption may grow if the nodes double, with as many pods
// on each: its plain rules promise linear time, except for sorting.
const twice = 2.3

// ofTheBook returns decisions by package preemption. Each preemptor, or cluster, makes a filter look at more
// than one node.
func ofTheBook() []work {
	app := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "app-1"}}
	byNode := []outrank.PodAffinityTerm{{LabelSelector: app, TopologyKey: "kubernetes.io/hostname"}}

	cases := []struct {
		name string
		with func(c *outrank.Cluster, p *outrank.Pod)
	}{
		{"plain", func(*outrank.Cluster, *outrank.Pod) {}},

		// Terms about other pods: those of the preemptor, and those of the pods that run.
		{"anti-affinity", func(_ *outrank.Cluster, p *outrank.Pod) { p.Affinity.PodAntiAffinity = byNode }},
		{"affinity", func(_ *outrank.Cluster, p *outrank.Pod) { p.Affinity.PodAffinity = byNode }},
		{"others' anti-affinity", func(c *outrank.Cluster, p *outrank.Pod) {
			p.Labels = map[string]string{"app": "app-1"}
			for i := 0; i < len(c.Pods); i += 3 {
				c.Pods[i].Affinity.PodAntiAffinity = byNode
			}
		}},

		{"spread by node", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.Labels = map[string]string{"app": "app-1"}
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: app,
			}}
		}},

		// Things of which there is one, and nodes that are named.
		{"a claim and a port", func(c *outrank.Cluster, p *outrank.Pod) {
			p.Volumes = []outrank.Volume{{Claim: "data", OncePod: true, Driver: "csi", Handle: "1"}}
			p.Containers[0].Ports = []outrank.Port{{HostPort: 80}}
			c.Pods[0].Volumes, c.Pods[1].Containers[0].Ports = p.Volumes, p.Containers[0].Ports
		}},
		{"the nodes by name", func(c *outrank.Cluster, p *outrank.Pod) {
			names := []string{c.Nodes[0].Name, c.Nodes[1].Name}
			p.NominatedNodeName = c.Nodes[2].Name
			p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
				MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: names[:1]}},
			}}}
		}},

		// Victims that leave together.
		{"a group leaves", func(c *outrank.Cluster, _ *outrank.Pod) {
			c.Release = withGroups()
			c.Groups = []*outrank.PodGroup{{Name: "g", Namespace: c.Pods[0].Namespace, DisruptionMode: outrank.DisruptPodGroup}}
			for _, p := range c.Pods {
				if p.Namespace == c.Pods[0].Namespace && p.Labels["app"] == "app-1" {
					p.Group = "g"
				}
			}
		}},
	}

	// The cluster is made before the counting begins, and Explain asks every node.
	var all []work
	for _, one := range cases {
		all = append(all, work{"the book: " + one.name, 150, 2, twice, func(nodes int) (func() error, error) {
			c, p, err := clustergen.Benchmark(nodes, 20, 10)
			if err != nil {
				return nil, err
			}
			one.with(c, p)
			return func() error {
				_, err := preemption.Explain(c, preemption.Request{Pod: p, Now: clustergen.Now()}, preemption.Config{})
				return err
			}, nil
		}})
	}
	return append(all, work{"the book: a group comes", 150, 2, twice, groupComes})
}

// withGroups returns a release in which groups of pods are disrupted as a whole and preempt together.
func withGroups() outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		panic(err)
	}
	return r
}

// groupComes decides for a group of four pods.
func groupComes(nodes int) (func() error, error) {
	c, p, err := clustergen.Benchmark(nodes, 20, 10)
	if err != nil {
		return nil, err
	}
	c.Release = withGroups()

	req := preemption.GroupRequest{Now: clustergen.Now()}
	for i := range 4 {
		q := *p
		q.Name = fmt.Sprint(p.Name, "-", i)
		req.Pods = append(req.Pods, &q)
	}

	return func() error {
		_, err := preemption.PreemptGroup(c, req, preemption.Config{})
		return err
	}, nil
}
