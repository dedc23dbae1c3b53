package chart

import (
	"context"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// builtIn are the roles that a cluster gives its own scheduler.
var builtIn = []string{"system:kube-scheduler", "system:volume-scheduler", "system:auth-delegator"}

// Beyond returns the cluster-wide rights that the release has and the cluster's own scheduler has not.
func Beyond(ctx context.Context, client kubernetes.Interface) ([]string, error) {
	var has []rbacv1.PolicyRule
	for _, name := range builtIn {
		role, err := client.RbacV1().ClusterRoles().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		has = append(has, role.Rules...)
	}
	role, err := client.RbacV1().ClusterRoles().Get(ctx, Release, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return notGiven(role.Rules, has), nil
}

// notGiven returns the single rights in rules that others do not give.
func notGiven(rules, others []rbacv1.PolicyRule) (out []string) {
	covers := func(list []string, one string) bool { return slices.Contains(list, one) || slices.Contains(list, "*") }
	for _, r := range rules {
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					given := slices.ContainsFunc(others, func(o rbacv1.PolicyRule) bool {
						return covers(o.APIGroups, group) && covers(o.Resources, resource) && covers(o.Verbs, verb) && len(o.ResourceNames) == 0
					})
					if !given {
						out = append(out, verb+" "+group+"/"+resource)
					}
				}
			}
		}
		out = append(out, r.NonResourceURLs...)
	}
	return out
}
