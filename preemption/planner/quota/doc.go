// Package quota answers: who may create pods of a priority class at all? It checks a
// new pod against the resource quotas of its namespace, and against the limits in the
// configuration of the admission plugin ResourceQuota.
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
// With this configuration, pods of the class urgent can only be created in namespaces that
// have a quota for the class, and that quota limits their number and size. A pod that
// cannot be created preempts nobody.
//
// The pod has to be complete: before admission, the API server fills in the default
// priority class, and the requests that follow from limits. Package priority resolves
// the class.
//
// Chapter 20 of RULES.md in this package's folder states what this package does,
// and comments cite it, as in "rule 20.2.1". No function changes its arguments, and any
// number of goroutines may call them at once.
package quota
