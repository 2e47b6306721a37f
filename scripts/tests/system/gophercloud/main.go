// Sets up a load balancer with gophercloud, the library of Terraform's provider, and takes it down again.
//
// Usage: session URL TOKEN create NAME ADDRESS MEMBER..., where a member is its address; or drain NAME MEMBER; or delete NAME.
// It prints what it has got as JSON. test_openstack.py sends the traffic in between.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/providers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/quotas"
)

const port = 80

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: session URL TOKEN create|drain|delete NAME ...")
		os.Exit(2)
	}
	result, err := run(context.Background(), client(os.Args[1], os.Args[2]), os.Args[3], os.Args[4], os.Args[5:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// client is for a controller whose URL and token are known: there is no Keystone to ask.
func client(url, token string) *gophercloud.ServiceClient {
	return &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{TokenID: token},
		Endpoint:       url + "/",
		ResourceBase:   url + "/v2.0/",
		Type:           "load-balancer",
	}
}

func run(ctx context.Context, c *gophercloud.ServiceClient, action, name string, rest []string) (any, error) {
	switch action {
	case "create":
		return create(ctx, c, name, rest[0], rest[1:])
	case "drain":
		return drain(ctx, c, name, rest[0])
	case "delete":
		return remove(ctx, c, name)
	}
	return nil, fmt.Errorf("no action %s", action)
}

func create(ctx context.Context, c *gophercloud.ServiceClient, name, address string, servers []string) (any, error) {
	balancer, err := loadbalancers.Create(ctx, c, loadbalancers.CreateOpts{Name: name, VipAddress: address, Tags: []string{"go"}}).Extract()
	if err != nil {
		return nil, err
	}
	listener, err := listeners.Create(ctx, c, listeners.CreateOpts{
		Name: name, LoadbalancerID: balancer.ID, Protocol: listeners.ProtocolTCP, ProtocolPort: port, AllowedCIDRs: []string{"10.0.0.0/8"},
	}).Extract()
	if err != nil {
		return nil, err
	}
	pool, err := pools.Create(ctx, c, pools.CreateOpts{
		Name: name, ListenerID: listener.ID, Protocol: pools.ProtocolTCP, LBMethod: pools.LBMethodRoundRobin,
	}).Extract()
	if err != nil {
		return nil, err
	}
	if err := batch(ctx, c, pool.ID, servers); err != nil {
		return nil, err
	}
	monitor, err := monitors.Create(ctx, c, monitors.CreateOpts{
		Name: name, PoolID: pool.ID, Type: monitors.TypeTCP, Delay: 1, Timeout: 1, MaxRetries: 1, MaxRetriesDown: 2,
	}).Extract()
	if err != nil {
		return nil, err
	}
	renamed := name + "-http"
	updated, err := listeners.Update(ctx, c, listener.ID, listeners.UpdateOpts{Name: &renamed}).Extract()
	if err != nil {
		return nil, err
	}
	method := pools.UpdateOpts{LBMethod: pools.LBMethodLeastConnections}
	if pool, err = pools.Update(ctx, c, pool.ID, method).Extract(); err != nil {
		return nil, err
	}
	balancer, err = loadbalancers.Get(ctx, c, balancer.ID).Extract()
	if err != nil {
		return nil, err
	}
	limits, err := quotas.Get(ctx, c, "any").Extract()
	if err != nil {
		return nil, err
	}
	offered, err := providers.List(c, nil).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	names, err := providers.ExtractProviders(offered)
	return map[string]any{
		"balancer": balancer, "listener": updated, "pool": pool, "monitor": monitor, "members_limit": limits.Member, "providers": names,
	}, err
}

// batch sets a pool's members by one request; a second one, with the same members, changes no more than their weights.
func batch(ctx context.Context, c *gophercloud.ServiceClient, pool string, servers []string) error {
	for weight := 1; weight <= 2; weight++ {
		wanted := []pools.BatchUpdateMemberOpts{}
		for _, address := range servers {
			wanted = append(wanted, pools.BatchUpdateMemberOpts{Address: address, ProtocolPort: port, Name: &address, Weight: &weight})
		}
		if err := pools.BatchUpdateMembers(ctx, c, pool, wanted).ExtractErr(); err != nil {
			return err
		}
	}
	return nil
}

func drain(ctx context.Context, c *gophercloud.ServiceClient, name, server string) (any, error) {
	pages, err := pools.List(c, pools.ListOpts{Name: name}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := pools.ExtractPools(pages)
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%d pools: %v", len(found), err)
	}
	pages, err = pools.ListMembers(c, found[0].ID, pools.ListMembersOpts{Address: server}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	members, err := pools.ExtractMembers(pages)
	if err != nil || len(members) != 1 {
		return nil, fmt.Errorf("%d members: %v", len(members), err)
	}
	weight := 0
	return pools.UpdateMember(ctx, c, found[0].ID, members[0].ID, pools.UpdateMemberOpts{Weight: &weight}).Extract()
}

func remove(ctx context.Context, c *gophercloud.ServiceClient, name string) (any, error) {
	pages, err := loadbalancers.List(c, loadbalancers.ListOpts{Name: name}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := loadbalancers.ExtractLoadBalancers(pages)
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%d load balancers: %v", len(found), err)
	}
	id := found[0].ID
	tree, err := loadbalancers.GetStatuses(ctx, c, id).Extract()
	if err != nil {
		return nil, err
	}
	counts, err := loadbalancers.GetStats(ctx, c, id).Extract()
	if err != nil {
		return nil, err
	}
	// it has listeners and pools
	if err := loadbalancers.Delete(ctx, c, id, nil).ExtractErr(); !isStatus(err, http.StatusConflict) {
		return nil, fmt.Errorf("without cascade, a conflict was expected: %v", err)
	}
	if err := loadbalancers.Delete(ctx, c, id, loadbalancers.DeleteOpts{Cascade: true}).ExtractErr(); err != nil {
		return nil, err
	}
	if _, err := loadbalancers.Get(ctx, c, id).Extract(); !isStatus(err, http.StatusNotFound) {
		return nil, fmt.Errorf("after its end, it was expected to be absent: %v", err)
	}
	return map[string]any{"statuses": tree.Loadbalancer, "connections": counts.TotalConnections}, nil
}

func isStatus(err error, status int) bool {
	var unexpected gophercloud.ErrUnexpectedResponseCode
	return errors.As(err, &unexpected) && unexpected.Actual == status
}
