package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// disk mounts a disk without a claim.
func disk(d outrank.Disk) podOption { return mounts(outrank.Volume{Disk: d}) }

// once mounts claims that allow a single pod.
func once(claims ...string) podOption {
	return func(p *outrank.Pod) {
		for _, claim := range claims {
			p.Volumes = append(p.Volumes, outrank.Volume{Claim: claim, OncePod: true})
		}
	}
}

// Disks that pods of one node cannot share (rules 7.8.1 to 7.8.3).
func TestDisks(t *testing.T) {
	const taken = "a: Unschedulable VolumeRestrictions [node(s) had no available disk]\na <- x (0)\nbest a"
	ebs, gce := outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "d"}, outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "d"}
	rbd := func(monitors ...string) outrank.Disk {
		return outrank.Disk{Kind: outrank.RBD, ID: "pool/image", Monitors: monitors}
	}
	readOnly := func(d outrank.Disk) outrank.Disk { d.ReadOnly = true; return d }
	var rows []row
	for _, test := range []struct {
		name         string
		there, wants outrank.Disk
		want         string
	}{
		{"an EBS volume never", readOnly(ebs), readOnly(ebs), taken},
		{"a GCE disk where one writes", readOnly(gce), gce, taken},
		{"a GCE disk where the other writes", gce, readOnly(gce), taken},
		{"a GCE disk where both read", readOnly(gce), readOnly(gce), "a: fits"},
		{"an iSCSI target", outrank.Disk{Kind: outrank.ISCSI, ID: "t"}, outrank.Disk{Kind: outrank.ISCSI, ID: "t"}, taken},
		{"disks of two kinds", gce, ebs, "a: fits"},
		{"two disks", gce, outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "e"}, "a: fits"},
		{"an RBD image over a monitor in common", rbd("1", "2"), rbd("2", "3"), taken},
		{"an RBD image over others is another one", rbd("1", "2"), rbd("3"), "a: fits"},
		{"an RBD image without monitors is any", rbd(), rbd("3"), taken},
	} {
		rows = append(rows, row{
			name: test.name, cluster: []any{node("a"), pod("x", "a", 1, disk(test.there)), pod("y", "a", 1)},
			pod: preemptor(disk(test.wants)), want: test.want,
		})
	}
	rows = append(rows, row{
		name:    "a nominated pod mounts it",
		cluster: []any{node("a"), pod("n", "", 200, disk(gce), nominatedTo("a"))},
		pod:     preemptor(disk(gce)),
		want:    "a: Unschedulable VolumeRestrictions [node(s) had no available disk]\na out: Unresolvable [No preemption victims found for incoming pod]",
	})
	runRows(t, rows)
}

// Claims that allow a single pod in the whole cluster (rules 7.8.4 to 7.8.7).
func TestClaimsForASinglePod(t *testing.T) {
	const inUse = ": Unschedulable VolumeRestrictions [node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod]\n"
	const out = " out: Unschedulable VolumeRestrictions [node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod]\n"
	runRows(t, []row{
		{
			name:    "one in use anywhere fails every node, and leaving elsewhere does not help",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, once("c")), pod("y", "b", 1)},
			pod:     preemptor(once("c")),
			want:    "a" + inUse + "a <- x (0)\nb" + inUse + "b" + out + "best a",
		},
		{
			name:    "pods of another namespace use other claims",
			cluster: []any{node("a"), pod("x", "a", 1, once("c"), inNamespace("z"))},
			pod:     preemptor(once("c")),
			want:    "a: fits",
		},
		{
			name:    "one that allows more pods is no matter",
			cluster: []any{node("a"), pod("x", "a", 1, mounts(outrank.Volume{Claim: "c"}))},
			pod:     preemptor(mounts(outrank.Volume{Claim: "c"})),
			want:    "a: fits",
		},
		{
			name:    "a claim that is made along with its pod is in use by nobody (rule 7.8.7)",
			cluster: []any{node("a"), pod("x", "a", 1, mounts(outrank.Volume{Claim: "c", OncePod: true, Ephemeral: true}))},
			pod:     preemptor(once("c")),
			want:    "a: fits",
		},
		{
			name:    "a pod of another namespace gives a claim of the name back, so that it looks free too early (rule 7.8.5)",
			why:     "x on b still uses it.",
			cluster: []any{node("a"), node("b", cordoned), pod("w", "a", 1, once("c"), inNamespace("z")), pod("x", "b", 1, once("c"))},
			pod:     preemptor(once("c")),
			want:    "a" + inUse + "a <- z/w (0)\nb: Unresolvable NodeUnschedulable [node(s) were unschedulable]\nbest a",
		},
		{
			name:    "a claim counts once, however many use it, and each gives it back (rule 7.8.5)",
			why:     "With y back it counts 0 once more, so that only x leaves.",
			cluster: []any{node("a"), pod("y", "a", 2, once("c")), pod("x", "a", 1, once("c"))},
			pod:     preemptor(once("c")),
			want:    "a" + inUse + "a <- x (0)\nbest a",
		},
		{
			name:    "two claims count twice",
			why:     "That x leaves does not free the other.",
			cluster: []any{node("a"), node("b", cordoned), pod("x", "a", 1, once("c")), pod("y", "b", 1, once("d"))},
			pod:     preemptor(once("c", "d")),
			want:    "a" + inUse + "a" + out + "b: Unresolvable NodeUnschedulable [node(s) were unschedulable]",
		},
		{
			name:    "without a claim in use at the start the filter is not asked, and a nominated pod's is not seen (rule 7.8.6)",
			cluster: []any{node("a"), pod("n", "", 200, once("c"), nominatedTo("a"))},
			pod:     preemptor(once("c")),
			want:    "a: fits",
		},
		{
			name:    "where the pod mounts a disk it is asked, and sees it (rule 7.8.6)",
			cluster: []any{node("a"), pod("n", "", 200, once("c"), nominatedTo("a"))},
			pod:     preemptor(once("c"), disk(outrank.Disk{Kind: outrank.ISCSI, ID: "t"})),
			want:    "a" + inUse + "a out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name:    "pods that have ended, or whose node is gone, use none (rule 7.8.8)",
			cluster: []any{node("a"), pod("x", "gone", 1, once("c")), pod("y", "a", 1, once("c"), func(p *outrank.Pod) { p.Phase = outrank.PhaseFailed })},
			pod:     preemptor(once("c")),
			want:    "a: fits",
		},
	})
}

// attached mounts volumes of a driver by their handles.
func attached(driver string, handles ...string) podOption {
	return func(p *outrank.Pod) {
		for _, handle := range handles {
			p.Volumes = append(p.Volumes, outrank.Volume{Claim: "of-" + handle, Driver: driver, Handle: handle})
		}
	}
}

func limits(driver string, limit int64) func(*outrank.Node) {
	return func(n *outrank.Node) { n.AttachLimits = map[string]int64{driver: limit} }
}

// How many volumes a node attaches (rules 7.9.1 to 7.9.6 and 7.9.9).
func TestVolumeLimits(t *testing.T) {
	const most = "a: Unschedulable NodeVolumeLimits [node(s) exceed max volume count]\n"
	const ebs = "ebs.csi.aws.com"
	unmade := func(claim string) podOption { return mounts(outrank.Volume{Claim: claim, Driver: "d"}) }
	lacks := func(drivers ...string) func(*outrank.Node) {
		return func(n *outrank.Node) { n.MissingDrivers = drivers }
	}
	withLimits := withGates(t, "VolumeLimitScaling")
	withoutLimits, err := outrank.V1_37.With(map[string]bool{"VolumeLimitScaling": false})
	if err != nil {
		t.Fatal(err)
	}
	runRows(t, []row{
		{
			name:    "one more than the limit",
			cluster: []any{node("a", limits("d", 2)), pod("x", "a", 1, attached("d", "1")), pod("y", "a", 2, attached("d", "2"))},
			pod:     preemptor(attached("d", "3")),
			want:    most + "a <- x (0)\nbest a",
		},
		{
			name:    "a volume that is there already is not new",
			cluster: []any{node("a", limits("d", 1)), pod("x", "a", 1, attached("d", "1")), pod("y", "a", 1, attached("d", "1"))},
			pod:     preemptor(attached("d", "1")),
			want:    "a: fits",
		},
		{
			name:    "a node beyond its limit takes a pod that brings no new one",
			cluster: []any{node("a", limits("d", 1)), pod("x", "a", 1, attached("d", "1", "2"))},
			pod:     preemptor(attached("d", "2"), attached("other", "1")),
			want:    "a: fits",
		},
		{
			name:    "a driver without a limit attaches any number",
			cluster: []any{node("a", limits("other", 0)), pod("x", "a", 1, attached("d", "1"))},
			pod:     preemptor(attached("d", "2")),
			want:    "a: fits",
		},
		{
			name:    "a handle of two drivers is two volumes",
			cluster: []any{node("a", limits("d", 1)), pod("x", "a", 1, attached("other", "1"))},
			pod:     preemptor(attached("d", "1")),
			want:    "a: fits",
		},
		{
			name:    "an in-tree disk counts against the driver that has taken it over (rule 7.9.4)",
			cluster: []any{node("a", limits(ebs, 1)), pod("x", "a", 1, disk(outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "vol-1"}))},
			pod:     preemptor(attached(ebs, "vol-2")),
			want:    most + "a <- x (0)\nbest a",
		},
		{
			name:    "and is the same volume as the driver's (rule 7.9.4)",
			cluster: []any{node("a", limits(ebs, 1)), pod("x", "a", 1, attached(ebs, "vol-1"))},
			pod:     preemptor(disk(outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "vol-1"})),
			want:    "a: fits",
		},
		{
			name:    "a claim without a volume counts as one of its own (rule 7.9.6)",
			cluster: []any{node("a", limits("d", 1)), pod("x", "a", 1, unmade("c"))},
			pod:     preemptor(unmade("e")),
			want:    most + "a <- x (0)\nbest a",
		},
		{
			name:    "the same one once, and one of its name in another namespace is another (rule 7.9.6)",
			cluster: []any{node("a", limits("d", 1)), node("b", limits("d", 1)), pod("x", "a", 1, unmade("c")), pod("y", "b", 1, unmade("c"), inNamespace("z"))},
			pod:     preemptor(unmade("c")),
			want:    "a: fits\nb: Unschedulable NodeVolumeLimits [node(s) exceed max volume count]\nb <- z/y (0)\nbest b",
		},
		{
			name:    "a driver that has to be there is missing (rule 7.9.9)",
			why:     "The node is tried, in vain; the first in the order of the pod's volumes is named.",
			release: withLimits,
			cluster: []any{node("a", lacks("d", "e")), pod("x", "a", 1)},
			pod:     preemptor(attached("ok", "1"), attached("e", "1"), attached("d", "1")),
			want: "a: Unschedulable NodeVolumeLimits [e CSI driver is not installed on the node]\n" +
				"a out: Unschedulable NodeVolumeLimits [e CSI driver is not installed on the node]",
		},
		{
			name:    "without the gate it does not count (rule 7.9.9)",
			release: withoutLimits,
			cluster: []any{node("a", lacks("d"))},
			pod:     preemptor(attached("d", "1")),
			want:    "a: fits",
		},
		{
			name:    "nor in v1.36 (rule 7.9.9)",
			release: outrank.V1_36,
			cluster: []any{node("a", lacks("d"))},
			pod:     preemptor(attached("d", "1")),
			want:    "a: fits",
		},
	})
}

// Where volumes can be used (groups 7.10 and 7.11).
func TestVolumesAreWhereTheyCanBeUsed(t *testing.T) {
	const elsewhere = ": Unresolvable VolumeBinding [node(s) didn't match PersistentVolume's node affinity]\n"
	const gone = ": Unresolvable VolumeBinding [node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)]\n"
	const noZone = ": Unresolvable VolumeZone [node(s) had no available volume zone]\n"
	on := func(terms ...outrank.NodeSelectorTerm) outrank.Volume {
		return outrank.Volume{Claim: "c", Node: &outrank.NodeSelector{NodeSelectorTerms: terms}}
	}
	in := func(label string, values ...string) outrank.Volume {
		return outrank.Volume{Claim: "c", Zones: map[string][]string{label: values}}
	}
	ofItsOwn := func(v outrank.Volume) outrank.Volume { v.Ephemeral = true; return v }
	missing := outrank.Volume{Claim: "m", State: outrank.ClaimVolumeMissing, MissingVolume: "v"}
	withoutZones := preemption.Config{Profile: preemption.Profile{Off: []string{preemption.VolumeZone}}}
	at := func(name, label, value string) *outrank.Node { return node(name, nodeLabels(label, value)) }
	ssd := label("disk", outrank.In, "ssd")
	runRows(t, []row{
		{
			name:    "a volume's node affinity, of which one term is enough",
			cluster: []any{at("a", "disk", "ssd"), at("b", "disk", "hdd"), at("c", "gen", "3")},
			pod:     preemptor(mounts(on(ssd, label("gen", outrank.In, "3")))),
			want:    "a: fits\nb" + elsewhere + "c: fits",
		},
		{
			name:    "without a term it can be used nowhere",
			cluster: []any{node("a")},
			pod:     preemptor(mounts(on())),
			want:    "a" + elsewhere,
		},
		{
			name:    "only labels are looked at, also where a term names fields (rule 7.10.3)",
			cluster: []any{at("a", "disk", "ssd"), node("b")},
			pod:     preemptor(mounts(on(both(ssd, field(outrank.In, "b"))))),
			want:    "a: fits\nb" + elsewhere,
		},
		{
			name:    "so that a term of fields alone holds everywhere (rule 7.10.3)",
			cluster: []any{node("a")},
			pod:     preemptor(mounts(on(field(outrank.In, "b")))),
			want:    "a: fits",
		},
		{
			name:    "a volume that is not there, and the first reason of several (rule 7.10.8)",
			cluster: []any{node("a")},
			pod:     preemptor(mounts(missing, on())),
			config:  withoutZones,
			want:    "a" + gone,
		},
		{
			name:    "the other way round (rule 7.10.8)",
			cluster: []any{node("a")},
			pod:     preemptor(mounts(on(), missing)),
			config:  withoutZones,
			want:    "a" + elsewhere,
		},
		{
			name:    "a claim of which only the name is known keeps no pod away (rule 7.10.4)",
			cluster: []any{node("a")},
			pod:     preemptor(mounts(outrank.Volume{Claim: "c"})),
			want:    "a: fits",
		},
		{
			name:    "zones: one of the values (rule 7.11.4)",
			cluster: []any{at("a", outrank.ZoneLabel, "1"), at("b", outrank.ZoneLabel, "2"), at("c", outrank.ZoneLabel, "3")},
			pod:     preemptor(mounts(in(outrank.ZoneLabel, "1", "3"))),
			want:    "a: fits\nb" + noZone + "c: fits",
		},
		{
			name:    "zones: a node that does not say where it is takes every volume (rule 7.11.3)",
			why:     "One that says its region has to say its zone.",
			cluster: []any{node("a"), at("b", outrank.RegionLabel, "1"), at("c", outrank.BetaRegionLabel, "1")},
			pod:     preemptor(mounts(in(outrank.ZoneLabel, "1"))),
			want:    "a: fits\nb" + noZone + "c" + noZone,
		},
		{
			name:    "zones: today's name does in place of the beta one, and not the other way round (rule 7.11.4)",
			cluster: []any{at("a", outrank.ZoneLabel, "1"), at("b", outrank.BetaZoneLabel, "1"), at("c", outrank.ZoneLabel, "2")},
			pod:     preemptor(mounts(in(outrank.BetaZoneLabel, "1"))),
			want:    "a: fits\nb: fits\nc" + noZone,
		},
		{
			name:    "zones: the beta name does not do for today's (rule 7.11.4)",
			cluster: []any{at("a", outrank.BetaZoneLabel, "1")},
			pod:     preemptor(mounts(in(outrank.ZoneLabel, "1"))),
			want:    "a" + noZone,
		},
		{
			name:    "zones: an ephemeral volume may be anywhere (rule 7.11.2)",
			cluster: []any{at("a", outrank.ZoneLabel, "2")},
			pod:     preemptor(mounts(ofItsOwn(in(outrank.ZoneLabel, "1")))),
			want:    "a: fits",
		},
	})
}

// Features that a pod needs (group 7.14).
func TestFeatures(t *testing.T) {
	const no = "a: Unresolvable NodeDeclaredFeatures [node(s) didn't match Pod's required features]"
	declares := func(features ...string) *outrank.Node {
		return node("a", func(n *outrank.Node) { n.DeclaredFeatures = features })
	}
	users := func(shared bool) podOption {
		return func(p *outrank.Pod) { p.HostNetwork, p.HostUsers = true, &shared }
	}
	container := func(c outrank.Container) podOption {
		return func(p *outrank.Pod) { p.InitContainers = append(p.InitContainers, c) }
	}
	bind, restarts := container(outrank.Container{BindMountOptions: true}), container(outrank.Container{RestartsAll: true})
	runRows(t, []row{
		{name: "without a need nobody is asked (rule 7.14.5)", cluster: []any{declares()}, pod: preemptor(), want: "a: fits"},
		{name: "users of its own on the host's network (rule 7.14.3)", cluster: []any{declares("other")}, pod: preemptor(users(false)), want: no},
		{name: "declared (rule 7.14.3)", cluster: []any{declares("UserNamespacesHostNetworkSupport")}, pod: preemptor(users(false)), want: "a: fits"},
		{name: "the host's users (rule 7.14.3)", cluster: []any{declares()}, pod: preemptor(users(true)), want: "a: fits"},
		{name: "not on the host's network (rule 7.14.3)", cluster: []any{declares()}, pod: preemptor(users(false), func(p *outrank.Pod) { p.HostNetwork = false }), want: "a: fits"},
		{name: "a container that restarts all (rule 7.14.4)", cluster: []any{declares()}, pod: preemptor(restarts), want: no},
		{name: "every feature has to be declared (rule 7.14.1)", cluster: []any{declares("RestartAllContainersOnContainerExits")}, pod: preemptor(restarts, users(false)), want: no},
		{name: "options of a bind mount (rule 7.14.6)", release: outrank.V1_37, cluster: []any{declares()}, pod: preemptor(bind), want: no},
		{name: "declared (rule 7.14.6)", release: outrank.V1_37, cluster: []any{declares("VolumeBindMountOptions")}, pod: preemptor(bind), want: "a: fits"},
		{name: "not in v1.36 (rule 7.14.6)", release: outrank.V1_36, cluster: []any{declares()}, pod: preemptor(bind), want: "a: fits"},
	})
}
