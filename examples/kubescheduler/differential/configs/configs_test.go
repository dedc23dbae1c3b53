package configs

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	"github.com/outrank-go/outrank"
	ourconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
)

var (
	files = flag.Int("files", 400, "number of random files")
	seed  = flag.Uint64("seed", 1, "seed of the files")
	shown = flag.Int("shown", 3, "number of differences that are shown")
)

// silent posts no events.
type silent struct{}

func (s silent) WithLogger(klog.Logger) events.EventRecorderLogger                             { return s }
func (silent) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any)                         {}
func (silent) AnnotatedEventf(_ runtime.Object, _ map[string]string, _, _, _ string, _ ...any) {}

// reference is what kube-scheduler makes of a file.
type reference struct {
	*config.KubeSchedulerConfiguration
	// plugins are those that run, by profile.
	plugins map[string]*config.Plugins
}

// start does with a file what kube-scheduler does when it starts.
func start(text []byte) (*reference, error) {
	o, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	c, ok := o.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("%T is no configuration", o)
	}
	c.APIVersion = "kubescheduler.config.k8s.io/v1"
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return nil, err
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactory(&fake.Clientset{}, 0)
	s, err := scheduler.New(ctx, &fake.Clientset{}, factory, nil, func(string) events.EventRecorderLogger { return silent{} },
		scheduler.WithProfiles(c.Profiles...), scheduler.WithExtenders(c.Extenders...), scheduler.WithParallelism(c.Parallelism),
		scheduler.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore), scheduler.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds), scheduler.WithComponentConfigVersion(c.APIVersion))
	if err != nil {
		return nil, err
	}
	defer s.SchedulingQueue.Close()
	r := &reference{c, map[string]*config.Plugins{}}
	for name, profile := range s.Profiles {
		r.plugins[name] = profile.ListPlugins()
	}
	return r, nil
}

// settled reports whether it is documented that only kube-scheduler refuses a file: for fields that have no part in
// preemption (rule 19.1.4), for plugins that are in no default profile, which this one does not have (rule 19.2.6), or
// for what is said of pod groups.
func settled(refused error) bool {
	said := refused.Error()
	for _, part := range []string{"leaderElection", "clientConnection", "does not exist"} {
		if strings.Contains(said, part) {
			return true
		}
	}
	return false
}

// both hands a file to both. Either both refuse it, or both take it and what differs is returned.
func both(text []byte) (taken bool, differences []string) {
	theirs, refused := start(text)
	ours, err := ourconfig.Read(outrank.V1_37, bytes.NewReader(text))
	switch {
	case refused != nil && err != nil:
		return false, nil
	case refused != nil && settled(refused):
		return false, nil
	case refused != nil:
		return false, []string{fmt.Sprintf("kube-scheduler refuses it, and it is read here: %v", refused)}
	case err != nil:
		return false, []string{fmt.Sprintf("kube-scheduler takes it: %v", err)}
	}

	if len(ours.Profiles) != len(theirs.plugins) {
		return true, []string{fmt.Sprintf("%d profiles where kube-scheduler has %d", len(ours.Profiles), len(theirs.plugins))}
	}
	for i := range theirs.Profiles {
		profile := &theirs.Profiles[i]
		p, ok := ours.Profile(profile.SchedulerName)
		if !ok {
			return true, []string{"no profile " + profile.SchedulerName}
		}
		d := comparison{ours: p, theirs: profile, plugins: theirs.plugins[profile.SchedulerName], extended: len(theirs.Extenders) > 0}
		d.compare()
		differences = append(differences, d.differences...)
	}
	return true, differences
}

// Drawn files are taken by both or by neither, and the same is read out of them.
func TestConfigurations(t *testing.T) {
	klog.SetLogger(klog.Logger{})
	taken := 0
	for i := range *files {
		text, err := json.Marshal(clerk{rand.New(rand.NewPCG(*seed, uint64(i)))}.file())
		if err != nil {
			t.Fatal(err)
		}
		started, differences := both(text)
		if started {
			taken++
		}
		for _, d := range differences {
			if *shown--; *shown >= 0 {
				t.Errorf("file %d: %s\n%s", i, d, text)
			}
		}
	}
	t.Logf("%d of %d files are taken", taken, *files)
	if *shown < 0 {
		t.Errorf("%d more differences", -*shown)
	}
	if taken < *files/5 || taken == *files {
		t.Errorf("%d of %d files are taken: too few, or all", taken, *files)
	}
}

// The smallest files of which both once said different things.
func TestKeptFiles(t *testing.T) {
	klog.SetLogger(klog.Logger{})
	names, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal("no files", err)
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, differences := both(text); len(differences) > 0 {
			t.Errorf("%s: %v", name, differences)
		}
	}
}
