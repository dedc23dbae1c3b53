package config

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Read reads a KubeSchedulerConfiguration in JSON, of at most 1 MiB. release is the release of the
// cluster that the configuration is for (rule 19.2.8); zero means [outrank.DefaultRelease]. The error
// lists all problems, in one *[outrank.InputError] that names the fields; an unknown release is a
// problem. Errors of r are returned as they are. Time and memory are linear in the size of the file.
func Read(release outrank.Release, r io.Reader) (*Configuration, error) {
	if !release.Known() {
		return nil, &outrank.InputError{Problems: []outrank.Problem{{Object: kind, Text: fmt.Sprintf("%v is not known", release)}}}
	}
	return readBy(r, defaultsIn(release))
}

// readBy is Read with the default profile of the release.
func readBy(r io.Reader, usual pluginList) (*Configuration, error) {
	if r == nil {
		return nil, unreadable("there is no reader")
	}
	ps := &problems{}
	v, err := parse(r)
	if err != nil {
		return nil, err
	}
	c := usual.readFile(objectOf(ps, "", v))
	if len(ps.list) > 0 {
		return nil, &outrank.InputError{Problems: ps.list, More: ps.more}
	}
	return c, nil
}

// readFile reads the whole file. It stops early at another version or kind, whose fields have other
// meanings, and at lists that are too long.
func (l pluginList) readFile(o *object) *Configuration {
	version := o.text("apiVersion")
	switch {
	case version != fileVersion:
		o.ps.add("apiVersion", "%q where %q is wanted%s", cut(version), fileVersion, older(version))
		return nil
	case o.text("kind") != kind:
		o.ps.add("kind", "%q where %q is wanted", cut(o.text("kind")), kind)
		return nil
	}

	c := &Configuration{}
	c.readBackoff(o)
	readAside(o)
	if o.tooLong("profiles") || o.tooLong("extenders") {
		return nil
	}

	// There is one queue, so all profiles must sort it by the same plugin.
	x := readExtenders(o)
	var first *profileReader
	o.objects("profiles", func(object *object) {
		p := l.readProfile(object, x)
		l.tellAside(object, &p.Profile)
		c.Profiles = append(c.Profiles, p.Profile)
		if first == nil {
			first = p
		}
		p.sortLike(first)
	})

	if len(c.Profiles) == 0 {
		p := l.readProfile(objectOf(o.ps, "profiles[0]", value{kind: '{'}), x)
		c.Profiles = []Profile{p.Profile}
	}
	c.nameProfiles(o)
	o.done()
	return c
}

// sortLike checks that a profile sorts the queue like the first one: by the same plugin with the same arguments (rule
// 19.2.7). In a first profile that enables no plugin at queueSort kube-scheduler takes the name of it to be empty, and
// so refuses arguments without a name in the other profiles.
func (p *profileReader) sortLike(first *profileReader) {
	sort, canon := p.sorting, first.sorting
	if !slices.Equal(sort.enabled, canon.enabled) || !slices.Equal(sort.disabled, canon.disabled) {
		p.o.ps.add(p.o.path("plugins.queueSort"), "not the same as in the first profile")
	}
	name, args := "", value{}
	if len(canon.enabled) > 0 {
		name = canon.enabled[0]
		args = first.given[name]
	}
	if given, ok := p.given[name]; ok && p != first && !reflect.DeepEqual(given, args) {
		p.o.ps.add(p.o.path("pluginConfig"), "the arguments of %q are not the same as in the first profile", cut(name))
	}
}

// older returns a hint for files of version v1alpha1, whose setting disablePreemption has moved. It is empty
// for other versions.
func older(version string) string {
	if version == "kubescheduler.config.k8s.io/v1alpha1" {
		return "; what was disablePreemption there is DefaultPreemption among plugins.postFilter.disabled"
	}
	return ""
}

// readAside checks the fields that do not affect preemption (rule 19.1.4).
func readAside(o *object) {
	o.number("parallelism", 1, math.MaxInt32)
	o.number("percentageOfNodesToScore", 0, 100)
	o.flag("enableProfiling")
	o.flag("enableContentionProfiling")
	o.flag("delayCacheUntilActive")

	lead := o.object("leaderElection")
	lead.flag("leaderElect")
	for _, name := range []string{"leaseDuration", "renewDeadline", "retryPeriod"} {
		lead.duration(name)
	}
	for _, name := range []string{"resourceLock", "resourceName", "resourceNamespace"} {
		lead.text(name)
	}
	lead.done()

	client := o.object("clientConnection")
	for _, name := range []string{"kubeconfig", "acceptContentTypes", "contentType"} {
		client.text(name)
	}
	client.field("qps", '0', "a number")
	client.int32("burst")
	client.done()
}

// readBackoff reads the queue's settings. The longest backoff must not be shorter than the first one.
func (c *Configuration) readBackoff(o *object) {
	const most = int64(math.MaxInt64 / time.Second)
	first, _ := o.number("podInitialBackoffSeconds", 1, most)
	last, given := o.number("podMaxBackoffSeconds", 0, most)
	if given && last < max(first, 1) {
		o.ps.add("podMaxBackoffSeconds", "%d is less than podInitialBackoffSeconds, %d", last, max(first, 1))
	}
	if !given && first > 10 {
		o.ps.add("podMaxBackoffSeconds", "its default of 10 is less than podInitialBackoffSeconds, %d", first)
	}
	c.InitialBackoff, c.MaxBackoff = time.Duration(first)*time.Second, time.Duration(last)*time.Second
}

// nameProfiles gives a single profile its default name, and refuses missing and repeated names. All profiles
// share their nominations (rule 19.1.6).
func (c *Configuration) nameProfiles(o *object) {
	taken := map[string]bool{}
	for i := range c.Profiles {
		p := &c.Profiles[i]
		at := o.path("profiles") + "[" + itoa(i) + "].schedulerName"
		if p.SchedulerName == "" && len(c.Profiles) == 1 {
			p.SchedulerName = outrank.DefaultScheduler
		}
		switch {
		case p.SchedulerName == "":
			o.ps.add(at, "missing, and there are several profiles")
		case taken[p.SchedulerName]:
			o.ps.add(at, "there is another profile for %q", cut(p.SchedulerName))
		}
		taken[p.SchedulerName] = true
	}

	names := make([]string, 0, len(c.Profiles))
	for i := range c.Profiles {
		names = append(names, c.Profiles[i].SchedulerName)
	}
	for i := range c.Profiles {
		c.Profiles[i].Config.Profile.Schedulers = names
	}
}
