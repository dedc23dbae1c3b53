package worlds

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubescheduler/ledger"
	"github.com/outrank-go/outrank/internal/manifest"
)

var (
	find   = flag.Bool("find", false, "print a trial for each field without a verdict that has one, and what it shows")
	findOf = flag.String("kind", "", "the kind whose fields -find looks at; all if empty")
)

// words are values that fields of text have somewhere in the API, and that change what they mean.
var words = []any{
	"x", "a", "b", "default", "web", "db", "n1", "n2", "zone", "True", "False", "Never", "Always", "In", "NotIn", "Exists", "DoesNotExist", "Gt",
	"NoSchedule", "NoExecute", "PreferNoSchedule", "DoNotSchedule", "ScheduleAnyway", "Ignore", "Honor", "Strict", "UDP", "linux", "windows",
	"Lost", "Succeeded", "Running", "WaitForFirstConsumer", "Immediate", "ReadWriteOncePod", "AlwaysAllow", "RestartAllContainers", "PreemptionByScheduler",
	"Infeasible", "Deferred", "Ready", "DisruptionTarget", "PodResizePending", "PodGroupInitiallyScheduled", "CompositePodGroupInitiallyScheduled", "BestEffort", "Guaranteed",
	"v1.36.0", "BestEffort", "PriorityClass", "NotBestEffort", "kubernetes.io/hostname", "system-node-critical", "usual", "2026-01-10T12:30:00Z", "metadata.name",
}

// candidates are the values that are tried in a field of each type.
var candidates = map[ledger.Type][]any{
	ledger.Text:     words,
	ledger.Number:   {int64(0), int64(1), int64(2), int64(3), int64(-1), int64(80), int64(100), int64(100000000000)},
	ledger.Flag:     {true, false},
	ledger.Amount:   {"0", "1", "3", "100", "1Gi"},
	ledger.Time:     {"2026-01-10T12:00:00Z", "2026-01-10T12:59:59Z", "2025-01-10T12:00:00Z"},
	ledger.Share:    {int64(0), int64(1), int64(2), "50%", "100%"},
	ledger.Empty:    {map[string]any{}},
	ledger.Anything: {map[string]any{}, "x"},
}

// keys are the names under which new entries of a map are tried.
var keys = []string{"app", "team", "zone", "cpu", "memory", "pods", "web-1", "kubernetes.io/config.mirror", "kubernetes.io/config.source", "requests.cpu"}

// trials lists the trials of a field in a world. A field that is there is tried in every object, with every value,
// and first. A field that is not there is tried in a few objects, with a few values: it mostly changes nothing, or
// anything.
func trials(w *World, kind string, f ledger.Field) []Trial {
	var present, absent []Trial
	objects := 0
	for _, o := range w.Objects {
		if kindOf(o) != kind {
			continue
		}
		objects++
		for _, p := range places(o, stepsOf(f.Path), keys) {
			t := Trial{World: w.Name, Kind: kind, Object: nameOf(o), Path: f.Path, At: p.at, Present: p.present}
			if p.present {
				present = append(present, t)
			} else if objects > fewObjects {
				continue
			}

			for i, v := range candidates[f.Type] {
				t.Value = v
				switch {
				case p.present:
					present = append(present, t)
				case i < fewValues:
					absent = append(absent, t)
				}
			}
		}
	}
	return append(present, absent...)
}

// fewObjects and fewValues bound the trials of a field that is not there.
const fewObjects, fewValues = 2, 4

// TestFind prints trials for fields that have no verdict, for whoever writes one: those that change an answer, and
// those that add a warning.
func TestFind(t *testing.T) {
	if !*find {
		t.Log("nothing to do without -find")
		return
	}
	all := allWorlds(t)
	text, err := os.ReadFile("../FIELDS.txt")
	require.NoError(t, err)
	table, err := ledger.Parse(string(text))
	require.NoError(t, err)
	missing := table.Missing()

	for _, k := range ledger.Kinds() {
		if *findOf != "" && *findOf != k.Name {
			continue
		}
		for _, f := range ledger.Fields(k.Type, "") {
			if slices.Contains(missing, k.Name+"."+f.Path) {
				fmt.Fprintln(os.Stderr, k.Name+"."+f.Path, shown(all, k.Name, f))
			}
		}
	}
}

// base is a world with what is read of it, and the answers.
type base struct {
	*World
	read    *Read
	answers *Answers
}

func allWorlds(t *testing.T) (all []*base) {
	worlds, err := All()
	require.NoError(t, err)
	for _, w := range worlds {
		read, err := w.Read()
		require.NoError(t, err, w.Name)
		answers := read.Ask()
		require.NoError(t, answers.Refused, w.Name)
		all = append(all, &base{w, read, answers})
	}
	return all
}

// shown returns the first trial of a field that changes an answer, or adds a warning, or is refused.
func shown(all []*base, kind string, f ledger.Field) string {
	if !isRead(kind, f.Path) {
		return "cannot: not read"
	}
	told := ""
	for _, w := range likelyFirst(all, f) {
		for _, t := range trials(w.World, kind, f) {
			before, after := w.try(t)
			switch {
			case after == nil || after.Refused != nil:
			case after.Text != before.Text:
				return "decides " + t.String()
			case told == "" && tells(before, after, f.Path):
				told = "told " + t.String()
			}
		}
	}
	if told != "" {
		return told
	}
	return "cannot"
}

// likelyFirst returns the worlds with those first in which some object has the field.
func likelyFirst(all []*base, f ledger.Field) []*base {
	has := func(w *base) int {
		for _, o := range w.Objects {
			for _, p := range places(o, stepsOf(f.Path), nil) {
				if p.present {
					return 0
				}
			}
		}
		return 1
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *base) int { return has(a) - has(b) })
	return all
}

// tells reports whether a warning is there after a change that was not there before, and names the field, or a
// field that it stands in.
func tells(before, after *Answers, path string) bool {
	for _, w := range after.Warnings {
		if slices.Contains(before.Warnings, w) {
			continue
		}
		if names(w.Field+" "+w.Text, path) {
			return true
		}
	}
	return false
}

// names reports whether a text names a field, or a field that it stands in.
func names(text, path string) bool {
	return slices.ContainsFunc(stepsOf(path), func(s step) bool {
		return s.name != "" && !slices.Contains([]string{"metadata", "spec", "status"}, s.name) && strings.Contains(text, s.name)
	})
}

// try returns the answers about the world without and with a change; after is nil if the change makes no difference
// to what is read. A change that makes a new entry, such as a container with an image, is compared with the entry
// without the field, unless nobody can read that.
func (w *base) try(t Trial) (before, after *Answers) {
	if w.sameObject(t) {
		return nil, nil
	}
	read, err := w.changed(t)
	if err != nil {
		return w.answers, &Answers{Refused: err}
	}
	if reflect.DeepEqual(read, w.read) {
		return nil, nil
	}

	if t.Present {
		return w.answers, read.Ask()
	}
	without := t
	without.Value = nil
	entry, err := w.changed(without)
	if err != nil {
		return w.answers, read.Ask()
	}
	if reflect.DeepEqual(read, entry) {
		return nil, nil
	}
	return entry.Ask(), read.Ask()
}

// changed reads the world with a change.
func (w *base) changed(t Trial) (*Read, error) {
	changed, err := w.With(t)
	if err != nil {
		return nil, err
	}
	return changed.Read()
}

// sameObject reports whether the object reads the same with the change, which takes much less time than reading the
// world. Only objects that stand in a cluster by themselves are looked at.
func (w *base) sameObject(t Trial) bool {
	// The filter for devices reads the claims of a pod, which a cluster by itself does not.
	if w.read.Devices != nil && strings.Contains(t.Path, "esourceClaim") {
		return false
	}
	if !slices.Contains([]string{"Pod", "Node", "Namespace", "PodDisruptionBudget", "PriorityClass", "PodGroup", "CompositePodGroup", "Workload"}, t.Kind) {
		return false
	}
	for _, o := range w.Objects {
		if kindOf(o) != t.Kind || nameOf(o) != t.Object {
			continue
		}
		changed, err := put(clone(o), stepsOf(t.Path), t.At, t.Value)
		if err != nil {
			return true
		}
		without := o
		if !t.Present {
			if empty, err := put(clone(o), stepsOf(t.Path), t.At, nil); err == nil {
				without = empty.(Object)
			}
		}
		was, err := (&World{Objects: []Object{without}}).Read()
		if err != nil {
			return false
		}
		is, err := (&World{Objects: []Object{changed.(Object)}}).Read()
		return err == nil && reflect.DeepEqual(was, is)
	}
	return true
}

// wire are the types into which each kind is decoded.
var wire = map[string]reflect.Type{
	"Pod": reflect.TypeFor[manifest.Pod](), "Node": reflect.TypeFor[manifest.Node](), "Namespace": reflect.TypeFor[manifest.Namespace](),
	"PodDisruptionBudget": reflect.TypeFor[manifest.Budget](), "PriorityClass": reflect.TypeFor[manifest.PriorityClass](),
	"PodGroup": reflect.TypeFor[manifest.PodGroup](), "CompositePodGroup": reflect.TypeFor[manifest.PodGroup](), "Workload": reflect.TypeFor[manifest.Workload](),
	"PersistentVolume": reflect.TypeFor[manifest.PersistentVolume](), "PersistentVolumeClaim": reflect.TypeFor[manifest.Claim](),
	"StorageClass": reflect.TypeFor[manifest.StorageClass](), "CSINode": reflect.TypeFor[manifest.CSINode](), "CSIDriver": reflect.TypeFor[manifest.DriverObject](),
}

// isRead reports whether the library decodes a field at all. Of quotas and of objects about devices it is not known.
func isRead(kind, path string) bool {
	t, ok := wire[kind]
	if !ok {
		return kind == "ResourceQuota" || slices.Contains(deviceKinds, kind)
	}
	if strings.HasPrefix(path, "metadata.annotations") {
		return true
	}
	for _, f := range ledger.Fields(t, "") {
		if path == f.Path || strings.HasPrefix(path, f.Path) || strings.HasPrefix(f.Path, path) {
			return true
		}
	}
	return false
}
