package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Each way of naming the pod, with the source of its priority.
func TestQuestions(t *testing.T) {
	bare := listOf(nodeItem("n", "1"))
	waiting := listOf(nodeItem("n", "1"), podItem("waits", "", 7, "1"),
		item("Pod", "bare", nil), classItem("other", 9, true))
	number := podItem("new", "", 7, "1", created)
	named := func(class string) string {
		return item("Pod", "new", map[string]any{"spec": map[string]any{"priorityClassName": class}})
	}
	for _, tt := range []struct {
		name  string
		stdin string
		args  []string
		want  Asked
	}{
		{"the sample's own question", "", nil,
			Asked{Key: "shop/checkout-2", From: "dump", Requests: resource.MustList("cpu", "3", "memory", "8Gi"),
				Priority: 100000, PriorityClass: "production", PrioritySource: SourceRecorded}},
		{"a pending pod keeps what it got, whatever the classes say now", waiting, []string{"-cluster", "-", "-pending", "default/waits"},
			Asked{Key: "default/waits", From: "dump", Requests: resource.MustList("cpu", "1"), Priority: 7, PrioritySource: SourceRecorded}},
		{"without a namespace it is in the default one", waiting, []string{"-cluster", "-", "-pending", "waits"},
			Asked{Key: "default/waits", From: "dump", Requests: resource.MustList("cpu", "1"), Priority: 7, PrioritySource: SourceRecorded}},
		{"a pending pod without a priority", waiting, []string{"-cluster", "-", "-pending", "default/bare"},
			Asked{Key: "default/bare", From: "dump", PrioritySource: SourceMissing}},

		{"a manifest with a class", named("batch"), []string{"-pod", "-"},
			Asked{Key: "default/new", From: "manifest", Priority: 100, PriorityClass: "batch", PrioritySource: SourceClass}},
		{"a manifest with a class that waits", named("patient"), []string{"-pod", "-"},
			Asked{Key: "default/new", From: "manifest", Priority: 500, PriorityClass: "patient", PrioritySource: SourceClass, PreemptionPolicy: "Never"}},
		{"a manifest without a class gets the default", item("Pod", "new", nil), []string{"-pod", "-"},
			Asked{Key: "default/new", From: "manifest", Priority: 1000, PriorityClass: "standard", PrioritySource: SourceDefaultClass}},
		{"a manifest of a pod that waits in the dump asks about the manifest", item("Pod", "checkout-2", map[string]any{"metadata": map[string]any{"namespace": "shop"}}), []string{"-pod", "-"},
			Asked{Key: "shop/checkout-2", From: "manifest", Priority: 1000, PriorityClass: "standard", PrioritySource: SourceDefaultClass}},
		{"a manifest and no default class", item("Pod", "new", nil), []string{"-pod", "-", "-cluster", manifest(t, bare)},
			Asked{Key: "default/new", From: "manifest", PrioritySource: SourceNoClass}},
		{"a manifest with a number, and no classes to hold it against", number, []string{"-pod", "-", "-cluster", manifest(t, bare)},
			Asked{Key: "default/new", From: "manifest", Requests: resource.MustList("cpu", "1"), Priority: 7, PrioritySource: SourceNumber}},
		{"a built-in class needs no dump of classes", named("system-node-critical"), []string{"-pod", "-", "-cluster", manifest(t, bare)},
			Asked{Key: "default/new", From: "manifest", Priority: 2000001000, PriorityClass: "system-node-critical", PrioritySource: SourceClass}},

		{"described, the default class", "", []string{"-cpu", "500m", "-memory", "1Gi", "-request", "nvidia.com/gpu=2", "-request", "ephemeral-storage=3Gi"},
			Asked{Key: "default/what-if", From: "flags", Requests: resource.MustList("cpu", "500m", "memory", "1Gi", "nvidia.com/gpu", "2", "ephemeral-storage", "3Gi"),
				Priority: 1000, PriorityClass: "standard", PrioritySource: SourceDefaultClass}},
		{"described with a class", "", []string{"-class", "production", "-namespace", "shop", "-name", "new"},
			Asked{Key: "shop/new", From: "flags", Priority: 100000, PriorityClass: "production", PrioritySource: SourceClass}},
		{"described with a number, whatever the default class", "", []string{"-priority", "-5", "-node-selector", "pool=apps,x=", "-labels", "app=catalog"},
			Asked{Key: "default/what-if", From: "flags", Priority: -5, PrioritySource: SourceNumber, NodeSelector: map[string]string{"pool": "apps", "x": ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want.Requests == nil {
				want.Requests = resource.List{}
			}
			if want.PreemptionPolicy == "" {
				want.PreemptionPolicy = "PreemptLowerPriority"
			}
			got := documentOf(t, tt.stdin, tt.args...).Pod
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("whatif %q (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

// Labels matter: they decide which pods exclude each other.
func TestLabelsCount(t *testing.T) {
	shy := podItem("shy", "n", 9, "1m", func(_, spec, _ map[string]any) {
		spec["affinity"] = map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{
			map[string]any{"topologyKey": "name", "labelSelector": map[string]any{"matchLabels": map[string]any{"loud": "yes"}}}}}}
	})
	dump := listOf(nodeItem("n", "1"), shy)
	for labels, want := range map[string]preemption.Outcome{"loud=no": preemption.Fits, "loud=yes": preemption.NothingHelps} {
		if got := answerOf(t, dump, "-cluster", "-", "-priority", "5", "-labels", labels).Outcome; got != want {
			t.Errorf("whatif -labels %s: %s, want %s", labels, got, want)
		}
	}
}

// The claims of a manifest are looked up in the dump.
func TestClaimsOfTheManifest(t *testing.T) {
	dump := listOf(nodeItem("n1", "4"), nodeItem("n2", "4"),
		item("PersistentVolumeClaim", "data", map[string]any{
			"metadata": map[string]any{"name": "data", "annotations": map[string]any{"pv.kubernetes.io/bind-completed": "yes"}},
			"spec":     map[string]any{"volumeName": "pv"},
		}),
		item("PersistentVolume", "pv", map[string]any{"spec": map[string]any{"nodeAffinity": map[string]any{"required": map[string]any{
			"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{map[string]any{"key": "name", "operator": "In", "values": []any{"n2"}}}}},
		}}}}))
	pod := podItem("new", "", 7, "1", created, func(_, spec, _ map[string]any) {
		spec["volumes"] = []any{map[string]any{"name": "v", "persistentVolumeClaim": map[string]any{"claimName": "data"}}}
	})
	got := answerOf(t, pod, "-pod", "-", "-cluster", manifest(t, dump))
	if diff := cmp.Diff(Nodes{Count: 1, Names: []string{"n2"}}, got.FeasibleNodes); diff != "" {
		t.Errorf("nodes that it fits on (-want +got):\n%s", diff)
	}
}

// A claim that cannot be used is reported, with advice, and nobody leaves.
func TestClaimThatCannotBeUsed(t *testing.T) {
	dump := listOf(nodeItem("n1", "1"), podItem("low", "n1", 1, "1"),
		item("PersistentVolumeClaim", "data", map[string]any{"metadata": map[string]any{"name": "data", "deletionTimestamp": "2026-01-01T00:00:00Z"}}))
	pod := podItem("new", "", 7, "1", created, func(_, spec, _ map[string]any) {
		spec["volumes"] = []any{map[string]any{"name": "v", "persistentVolumeClaim": map[string]any{"claimName": "data"}}}
	})
	got := answerOf(t, pod, "-pod", "-", "-cluster", manifest(t, dump))
	if !got.Refused || got.Outcome != preemption.NothingHelps || len(got.TurnedDown) != 1 || got.TurnedDown[0].Filter != "VolumeBinding" {
		t.Errorf("%s by %v, want nothing to help, refused by VolumeBinding", got.Outcome, got.TurnedDown)
	}
	if want := []string{"mend the pod's claim, or give the pod another; until then nobody is pushed out for it."}; !slices.Equal(want, got.Hints) {
		t.Errorf("hints %q, want %q", got.Hints, want)
	}
}

// The names that a node affinity demands may contradict each other.
func TestNamesThatConflict(t *testing.T) {
	pod := podItem("new", "", 7, "1", created, func(_, spec, _ map[string]any) {
		name := func(n string) any {
			return map[string]any{"key": "metadata.name", "operator": "In", "values": []any{n}}
		}
		spec["affinity"] = map[string]any{"nodeAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{
			"nodeSelectorTerms": []any{map[string]any{"matchFields": []any{name("n1"), name("n2")}}},
		}}}
	})
	got := answerOf(t, pod, "-pod", "-", "-cluster", manifest(t, listOf(nodeItem("n1", "4"), nodeItem("n2", "4"))))
	if want := []string{"no node has all of the names that the pod's node affinity demands at once."}; !got.Refused || !slices.Equal(want, got.Hints) {
		t.Errorf("hints %q, want %q", got.Hints, want)
	}
}
