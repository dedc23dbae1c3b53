package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Nodes that are left out before any is asked (rules 7.15.1 to 7.15.3, 7.15.8 and 7.15.9).
func TestNodesLeftOut(t *testing.T) {
	const no = ": Unresolvable NodeAffinity [node(s) didn't match Pod's node affinity/selector]\n"
	const absent = ": Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity]]\n"
	onB := func(p *outrank.Pod) { p.NodeName = "b" }
	runRows(t, []row{
		{
			name:    "nodes no term names are never filtered",
			why:     "Cordoned and absent: the status is that of an absent node, which no filter gave.",
			cluster: []any{node("a"), node("b", cordoned), node("c", cordoned)},
			pod:     preemptor(nodeTerms(field(outrank.In, "a"), field(outrank.In, "b"))),
			want: "a: fits\n" +
				"b: Unresolvable NodeUnschedulable [node(s) were unschedulable]\n" +
				"c" + absent,
		},
		{
			name:    "one term without a name opens all nodes",
			cluster: []any{node("a"), node("b"), node("c", nodeLabels("disk", "ssd"))},
			pod:     preemptor(nodeTerms(field(outrank.In, "a"), label("disk", outrank.Exists))),
			want:    "a: fits\nb" + no + "c: fits",
		},
		{
			name:    "named but unfit",
			why:     "The labels of the term are still asked for on the node that it names.",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(both(field(outrank.In, "a"), label("disk", outrank.Exists)))),
			want:    "a" + no + "b" + absent,
		},
		{
			name:    "two names in one term leave no node",
			cluster: []any{node("a"), node("b"), pod("low", "a", 1)},
			pod:     preemptor(nodeTerms(both(field(outrank.In, "a"), field(outrank.In, "b")))),
			want: `
				a: Unresolvable NodeAffinity [pod affinity terms conflict]
				b: Unresolvable NodeAffinity [pod affinity terms conflict]`,
		},
		{
			name:    "a conflict in one term leaves the names of the others",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(both(field(outrank.In, "a"), field(outrank.In, "b")), field(outrank.In, "b"))),
			want:    "a" + absent + "b: fits",
		},
		{
			name:    "a name that is no node",
			cluster: []any{node("a")},
			pod:     preemptor(nodeTerms(field(outrank.In, "gone"))),
			want:    "a" + absent,
		},
		{
			name:    "spec.nodeName leaves one node",
			why:     "From v1.37 on the other nodes are not filtered at all (rule 7.15.8).",
			cluster: []any{node("a"), node("b"), pod("low-a", "a", 1, cpu("1")), pod("low-b", "b", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), func(p *outrank.Pod) { p.NodeName = "b" }),
			release: outrank.V1_37,
			want: `
				a: Unresolvable [node(s) didn't satisfy plugin(s) [NodeName]]
				b: Unschedulable NodeResourcesFit [Insufficient cpu]
				b <- low-b (0)
				best b`,
		},
		{
			name:    "the pod's node and the names of its affinity together",
			why:     "Only a node that both leave is filtered, and both are named.",
			cluster: []any{node("a"), node("b"), node("c")},
			pod:     preemptor(onB, nodeTerms(field(outrank.In, "b"), field(outrank.In, "c"))),
			want: `
				a: Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity NodeName]]
				b: fits
				c: Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity NodeName]]`,
		},
		{
			name:    "no node that both leave",
			why:     "That comes before what is said of the pod's claims.",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(onB, nodeTerms(field(outrank.In, "a")), mounts(outrank.Volume{Claim: "c", State: outrank.ClaimUnbound})),
			want: `
				a: Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously]
				b: Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously]`,
		},
		{
			name:    "in v1.36 the pod's node leaves nobody out",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(onB, nodeTerms(field(outrank.In, "a"))),
			release: outrank.V1_36,
			want:    "a: Unresolvable NodeName [node(s) didn't match the requested node name]\nb" + absent,
		},
		{
			name:    "the nominated node is asked all the same, and the filter that it fails is named on the others",
			cluster: []any{node("a"), node("b"), node("c"), pod("x", "c", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nodeTerms(field(outrank.In, "a")), nominatedTo("c")),
			want: `
				a: fits
				b: Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity]]
				c: Unresolvable NodeAffinity [node(s) didn't match Pod's node affinity/selector]`,
		},
		{
			name:    "names are sorted, each once",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nodeTerms(field(outrank.In, "a")), nominatedTo("a")),
			want: `
				a: Unschedulable NodeResourcesFit [Insufficient cpu]
				a <- x (0)
				b: Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity NodeResourcesFit]]
				best a`,
		},
		{
			name:    "so not in v1.13, which asks no node first",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nodeTerms(field(outrank.In, "a")), nominatedTo("b")),
			config:  preemption.Config{Variant: outrank.VariantV1_13},
			want:    "a: Unschedulable NodeResourcesFit [Insufficient cpu]\na <- x (0)\nb" + absent + "best a",
		},
	})
}

// mounts gives the pod volumes.
func mounts(volumes ...outrank.Volume) podOption {
	return func(p *outrank.Pod) { p.Volumes = append(p.Volumes, volumes...) }
}

// A node that is left out names the first of the filters that leave it out (rules 7.15.2 and 7.15.8).
func TestExcludedBy(t *testing.T) {
	c := clusterOf(node("a"), node("b"))
	plan := explain(t, c, preemptor(nodeTerms(field(outrank.In, "b"))), preemption.Config{})
	assert.Equal(t, preemption.NodeAffinity, plan.Nodes[0].Status.ExcludedBy)
	assert.Empty(t, plan.Nodes[0].Status.Filter)
	plan = explain(t, c, preemptor(func(p *outrank.Pod) { p.NodeName = "b" }), preemption.Config{})
	assert.Equal(t, preemption.NodeName, plan.Nodes[0].Status.ExcludedBy)
	assert.Empty(t, plan.Nodes[1].Status.ExcludedBy)
}

// A filter that refuses the pod ends the attempt: nobody leaves for it, and every node says the same (rules
// 7.10.5, 7.10.6, 7.11.5 and 7.15.4).
func TestPodsThatAreRefused(t *testing.T) {
	lost := outrank.Volume{Claim: "lost", State: outrank.ClaimLost, MissingVolume: "v"}
	deleted := outrank.Volume{Claim: "deleted", State: outrank.ClaimDeleting}
	unbound := outrank.Volume{Claim: "unbound", State: outrank.ClaimUnbound}
	missing := outrank.Volume{Claim: "missing", State: outrank.ClaimVolumeMissing, MissingVolume: "w"}
	ofItsOwn := func(v outrank.Volume) outrank.Volume { v.Ephemeral = true; return v }
	off := func(names ...string) preemption.Config {
		return preemption.Config{Profile: preemption.Profile{Off: names}}
	}
	const binding, zones = "Unresolvable VolumeBinding ", "Unresolvable VolumeZone "
	for _, test := range []struct {
		name    string
		volumes []outrank.Volume
		config  preemption.Config
		says    string
	}{
		{"a lost claim", []outrank.Volume{lost}, preemption.Config{}, binding + `[persistentvolumeclaim "lost" bound to non-existent persistentvolume "v"]`},
		{"a claim that is being deleted", []outrank.Volume{deleted}, preemption.Config{}, binding + `[persistentvolumeclaim "deleted" is being deleted]`},
		{"the first of the two counts", []outrank.Volume{deleted, lost}, preemption.Config{}, binding + `[persistentvolumeclaim "deleted" is being deleted]`},
		{"an unbound claim", []outrank.Volume{unbound}, preemption.Config{}, binding + "[pod has unbound immediate PersistentVolumeClaims]"},
		{"an unbound claim comes behind the other two", []outrank.Volume{unbound, lost}, preemption.Config{}, binding + `[persistentvolumeclaim "lost" bound to non-existent persistentvolume "v"]`},
		{"a volume that is missing", []outrank.Volume{missing}, preemption.Config{}, zones + `[persistentvolume "w" not found]`},
		{"VolumeBinding comes first", []outrank.Volume{missing, unbound}, preemption.Config{}, binding + "[pod has unbound immediate PersistentVolumeClaims]"},
		{"an ephemeral claim is refused by VolumeBinding, too", []outrank.Volume{ofItsOwn(unbound)}, preemption.Config{}, binding + "[pod has unbound immediate PersistentVolumeClaims]"},
		{"without VolumeBinding nothing is said of claims (rule 7.18.1)", []outrank.Volume{unbound}, off(preemption.VolumeBinding), ""},
		{"without VolumeZone nothing is said of volumes (rule 7.18.1)", []outrank.Volume{missing}, off(preemption.VolumeZone, preemption.VolumeBinding), ""},
		{
			"what a filter says before the first node counts without what it says about nodes (rule 7.18.2)", []outrank.Volume{unbound},
			preemption.Config{Profile: preemption.Profile{OffOnNodes: []string{preemption.VolumeBinding}}}, binding + "[pod has unbound immediate PersistentVolumeClaims]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := clusterOf(node("a"), node("b"), pod("x", "a", 1, cpu("1")), pod("y", "b", 1, cpu("1")))
			plan := explain(t, c, preemptor(cpu("1"), mounts(test.volumes...)), test.config)
			if test.says == "" {
				assert.Equal(t, preemption.Preempts, plan.Outcome)
				assert.Equal(t, preemption.Success, plan.Refused.Code)
				return
			}
			assert.Equal(t, preemption.NothingHelps, plan.Outcome)
			assert.Equal(t, test.says, statusText(plan.Refused))
			assert.Equal(t, lines("a: "+test.says+"\nb: "+test.says), lines(text(plan)))
		})
	}
}

// A refusal by a filter of the caller counts after those of the built-in ones; of several, the first counts
// (rule 7.15.10).
func TestCallersRefuse(t *testing.T) {
	refusing := func(name, why string) *preemption.Filter {
		return &preemption.Filter{Name: name, Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
			return preemption.Refuse(preemption.Unschedulable.Because(why)), nil
		}}
	}
	config := preemption.Config{Filters: []*preemption.Filter{refusing("First", "one"), refusing("Second", "two")}}
	c := clusterOf(node("a"), pod("x", "a", 1))
	plan := explain(t, c, preemptor(), config)
	assert.Equal(t, "Unresolvable First [one]", statusText(plan.Refused))
	assert.Equal(t, lines("a: Unresolvable First [one]"), lines(text(plan)))

	plan = explain(t, c, preemptor(mounts(outrank.Volume{Claim: "c", State: outrank.ClaimUnbound})), config)
	assert.Equal(t, preemption.VolumeBinding, plan.Refused.Filter)
}

// A pod that names a group does not preempt by itself where groups preempt as wholes (rule 12.8.8).
func TestPodsOfGroupsAskTogether(t *testing.T) {
	c := clusterOf(node("a"))
	ask := preemption.Request{Pod: preemptor(ofGroup("g")), Now: now}
	_, err := preemption.Preempt(c, ask, preemption.Config{})
	require.NoError(t, err, "the default release has no groups")
	c.Release = withGroups(t)
	_, err = preemption.Preempt(c, ask, preemption.Config{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "podgroup default/g preempts as a whole")
}
