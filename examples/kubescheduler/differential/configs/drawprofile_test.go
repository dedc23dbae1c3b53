package configs

// profile draws a profile.
func (c clerk) profile() object {
	p := object{}
	if !c.in(6) {
		p["schedulerName"] = one(c, "default-scheduler", "default-scheduler", "second", "third", "", "Bad Name")
	}
	if c.in(3) {
		p["percentageOfNodesToScore"] = one(c, 0, 5, 100, 101, -1)
	}
	if c.in(2) {
		sets := object{}
		for range 1 + c.IntN(3) {
			point := one(c, "multiPoint", "filter", "score", "postFilter", "preFilter")
			if c.in(2) {
				point = one(c, everyPoint...)
			}
			sets[point] = c.set(point)
		}
		p["plugins"] = sets
	}
	if c.in(2) {
		var configs []any
		for range 1 + c.IntN(2) {
			configs = append(configs, c.pluginConfig())
		}
		p["pluginConfig"] = configs
	}
	return p
}

// everyPoint lists the points of serving, in a fixed order.
var everyPoint = []string{
	"preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind", "bind", "postBind",
	"placementGenerate", "placementScore", "podGroupPostFilter", "multiPoint",
}

// file draws a file.
func (c clerk) file() object {
	f := object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
	if !c.in(8) {
		var profiles []any
		for range 1 + c.IntN(5)/3 {
			profiles = append(profiles, c.profile())
		}
		f["profiles"] = profiles
	}
	switch c.IntN(30) {
	case 0:
		f["apiVersion"] = one(c, "kubescheduler.config.k8s.io/v1beta3", "v1", "kubescheduler.config.k8s.io/v2", "")
	case 1:
		f["kind"] = one(c, "KubeSchedulerPolicy", "", "kubeSchedulerConfiguration")
	case 2:
		f[one(c, "surprise", "Profiles", "algorithmSource", "healthzBindAddress")] = one[any](c, "x", object{}, nil)
	}
	for _, field := range aside {
		if c.in(8) {
			f[field.name] = one(c, field.values...)
		}
	}
	if c.in(6) {
		f["extenders"] = c.extenders()
	}
	return f
}

// aside are the fields beside profiles and extenders, with values.
var aside = []struct {
	name   string
	values []any
}{
	{"podInitialBackoffSeconds", []any{1, 0, -1, 5, 20, 1.5, "1"}}, {"podMaxBackoffSeconds", []any{1, 0, 10, 5, 20}},
	{"parallelism", []any{16, 1, 0, -3}}, {"percentageOfNodesToScore", []any{0, 1, 100, 101, -1}},
	{"delayCacheUntilActive", []any{true, "x"}}, {"enableProfiling", []any{true, false}},
	{"leaderElection", []any{object{"leaderElect": false}, object{"leaderElect": true}, object{"leaderElect": "yes"}, object{"nope": 1}}},
	{"clientConnection", []any{object{"qps": 10, "burst": 20}, object{"qps": "x"}, object{"kubeconfig": "/x"}}},
}

// extenders draws one or two extenders that are alike.
func (c clerk) extenders() []any {
	e := object{"urlPrefix": one(c, "http://x", "https://x:80/y", "", "::bad"), "filterVerb": "f", "enableHTTPS": false}
	if c.in(2) {
		e["preemptVerb"] = "p"
	}
	if c.in(3) {
		e["prioritizeVerb"], e["weight"] = "s", one(c, 1, 0, -1, 5)
	}
	if c.in(3) {
		e["managedResources"] = []any{object{"name": one(c, "example.com/x", "example.com/z", "cpu", "a b"), "ignoredByScheduler": c.in(2)}}
	}
	if c.in(5) {
		e["bindVerb"] = "b"
	}
	if c.in(6) {
		e["httpTimeout"] = one(c, "5s", "x")
	}
	if c.in(3) {
		return []any{e, e}
	}
	return []any{e}
}

// pluginConfig draws the arguments of a plugin.
func (c clerk) pluginConfig() object {
	name := one(c, "DefaultPreemption", "InterPodAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation", "PodTopologySpread", "NodeAffinity", "VolumeBinding")
	p := object{"name": name, "args": c.args(name)}
	switch c.IntN(40) {
	case 0:
		p["name"] = one(c, "", "Nobody", "NodeName", "ImageLocality", "DynamicResources")
	case 1:
		delete(p, "args")
	case 2:
		p["args"] = nil
	case 3:
		p["args"] = object{}
	}
	return p
}

// argsOf draws the arguments of each plugin into an object.
var argsOf = map[string]func(c clerk, a object){
	"DefaultPreemption": func(c clerk, a object) {
		for _, field := range []string{"minCandidateNodesPercentage", "minCandidateNodesAbsolute"} {
			if c.in(2) {
				a[field] = one(c, 0, 0, 1, 10, 50, 100, 200, 100000)
			}
			if c.in(30) {
				a[field] = one[any](c, -1, 101, "5", 1.5, nil)
			}
		}
	},
	"InterPodAffinity": func(c clerk, a object) {
		if c.in(2) {
			a["hardPodAffinityWeight"] = one(c, 0, 1, 50, 100, 101, -1)
		}
		if c.in(2) {
			a["ignorePreferredTermsOfExistingPods"] = c.in(2)
		}
	},
	"NodeResourcesFit":                clerk.fit,
	"NodeResourcesBalancedAllocation": clerk.balanced,
	"PodTopologySpread":               clerk.spread,
	"NodeAffinity":                    clerk.affinity,
	"VolumeBinding": func(c clerk, a object) {
		if c.in(2) {
			a["bindTimeoutSeconds"] = one(c, 0, 1, 600, -1)
		}
		if c.in(3) {
			a["shape"] = c.shape()
		}
	},
}

// args draws the arguments of a plugin, and at times what no arguments have.
func (c clerk) args(name string) object {
	a := object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": name + "Args"}
	argsOf[name](c, a)
	if c.in(30) {
		a[one(c, "kind", "apiVersion", "surprise", "Kind")] = one(c, "FooArgs", "v1", "kubescheduler.config.k8s.io/v1beta3", "kubescheduler.config.k8s.io/v1")
	}
	if c.in(12) {
		delete(a, one(c, "kind", "apiVersion"))
	}
	return a
}

// fit draws the arguments of NodeResourcesFit.
func (c clerk) fit(a object) {
	if c.in(3) {
		a["ignoredResources"] = []any{one(c, "example.com/x", "example.com/y", "cpu", "a b", "", "UPPER.com/x", "example.com/x/y")}
	}
	if c.in(3) {
		a["ignoredResourceGroups"] = []any{one(c, "example.com", "foo", "example.com/x", "", "a b")}
	}
	if c.in(2) {
		return
	}
	s := object{"type": one(c, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"), "resources": c.resources(100)}
	if s["type"] == "RequestedToCapacityRatio" || c.in(10) {
		s["requestedToCapacityRatio"] = object{"shape": c.shape()}
	}
	if c.in(20) {
		s["type"] = one(c, "", "Foo", "leastAllocated")
	}
	if c.in(20) {
		delete(s, "requestedToCapacityRatio")
	}
	if c.in(10) {
		delete(s, "resources")
	}
	a["scoringStrategy"] = s
}

// balanced draws the arguments of NodeResourcesBalancedAllocation.
func (c clerk) balanced(a object) {
	if c.in(4) {
		return
	}
	most := 1
	if c.in(8) {
		most = 5
	}
	a["resources"] = c.resources(most)
}

// spread draws the arguments of PodTopologySpread.
func (c clerk) spread(a object) {
	if c.in(2) {
		a["defaultingType"] = one(c, "List", "List", "System", "", "Foo")
	}
	if c.in(2) {
		return
	}
	constraints := []any{}
	for range c.IntN(3) {
		x := object{"maxSkew": 1 + c.IntN(3), "topologyKey": one(c, "zone", "rack"), "whenUnsatisfiable": one(c, "ScheduleAnyway", "DoNotSchedule")}
		if c.in(5) {
			x = object{
				"maxSkew": one(c, 1, 2, 5, 0, -1), "topologyKey": one(c, "zone", "kubernetes.io/hostname", "rack", "", "a b"),
				"whenUnsatisfiable": one(c, "ScheduleAnyway", "DoNotSchedule", "", "Foo"),
			}
		}
		if c.in(10) {
			x["labelSelector"] = object{"matchLabels": object{"a": "b"}}
		}
		if c.in(6) {
			x["minDomains"] = one[any](c, 2, 0, "x")
		}
		if c.in(6) {
			x[one(c, "nodeAffinityPolicy", "nodeTaintsPolicy")] = one(c, "Honor", "Ignore")
		}
		if c.in(8) {
			x["matchLabelKeys"] = []any{"x"}
		}
		constraints = append(constraints, x)
	}
	a["defaultConstraints"] = constraints
}

// affinity draws the arguments of NodeAffinity.
func (c clerk) affinity(a object) {
	if c.in(4) {
		return
	}
	added := object{}
	if c.in(2) {
		terms := []any{}
		for range c.IntN(3) {
			terms = append(terms, c.term())
		}
		added["requiredDuringSchedulingIgnoredDuringExecution"] = object{"nodeSelectorTerms": terms}
	}
	if c.in(2) {
		var terms []any
		for range 1 + c.IntN(2) {
			terms = append(terms, object{"weight": one(c, 1, 1, 50, 50, 100, 100, 0, 101, -1), "preference": c.term()})
		}
		added["preferredDuringSchedulingIgnoredDuringExecution"] = terms
	}
	a["addedAffinity"] = added
}
