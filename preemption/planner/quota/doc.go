// Package quota answers: who may create pods of a priority class at all? It checks a
// pod that is to be created against the resource quotas of its namespace, and against the limits
// in the configuration of the admission plugin ResourceQuota.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	admission := quota.Admission{Limited: []quota.Limited{{
//		Resource:    "pods",
//		MatchScopes: []quota.Requirement{{Scope: quota.PriorityClass, Operator: outrank.In, Values: []string{"urgent"}}},
//	}}}
//	verdict, err := admission.Admit(quotas, quota.Pod{Pod: pod})
//	fmt.Println(verdict.Reason, verdict.Message())
//
// With this, pods of the class urgent can be created in those namespaces alone that
// have a quota for the class; how many and how large they are is up to that quota.
// A pod that cannot be created pushes nobody out.
//
// The pod is taken as it stands. The API server writes the default priority
// class and the requests that follow from limits into it first; package priority
// resolves the class.
//
// Chapter 20 of RULES.md in this package's folder states what this package does,
// and comments cite it, as in "rule 20.2.1". All functions only read what they are
// given; any number of goroutines may call them at once.
package quota
