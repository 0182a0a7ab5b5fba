package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	slipway "slipway.test/client"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := slipway.NewConfiguration()
	configuration.Servers = slipway.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := slipway.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), slipway.ContextAccessToken, os.Getenv("TOKEN"))
	project := os.Getenv("PROJECT")
	me, _, err := client.IamAPI.GetMe(ctx).Execute()
	check(err)
	fmt.Println("me", me.PrincipalId)
	launch := slipway.NewCreateAppInstance(os.Getenv("APP"), os.Getenv("VERSION"), "go client")
	created, _, err := client.InstancesAPI.CreateAppInstance(ctx, project).CreateAppInstance(*launch).IdempotencyKey("go-client").Execute()
	check(err)
	read, _, err := client.InstancesAPI.GetAppInstance(ctx, project, created.Id).Execute()
	check(err)
	if read.Id != created.Id || read.Status == slipway.INSTANCESTATUS_DELETED {
		panic(fmt.Sprint("unexpected ", read))
	}
	for attempt := 0; read.Status != slipway.INSTANCESTATUS_RUNNING && attempt < 600; attempt++ {
		time.Sleep(100 * time.Millisecond)
		read, _, err = client.InstancesAPI.GetAppInstance(ctx, project, created.Id).Execute()
		check(err)
	}
	fmt.Println("then", read.Status)
	isListed := false
	request := client.InstancesAPI.ListAppInstances(ctx, project).Limit(1)
	for {
		page, _, err := request.Execute()
		check(err)
		for _, item := range page.Items {
			isListed = isListed || item.Id == created.Id
		}
		if page.NextCursor.Get() == nil {
			break
		}
		request = request.Cursor(*page.NextCursor.Get())
	}
	fmt.Println("listed", isListed)
	deleted, _, err := client.InstancesAPI.DeleteAppInstance(ctx, project, created.Id).Execute()
	check(err)
	fmt.Println("deleted", deleted.Status)
	_, response, err := client.InstancesAPI.GetAppInstance(ctx, project, "00000000-0000-7000-8000-000000000000").Execute()
	if err == nil {
		panic("an unknown instance was found")
	}
	body, _ := io.ReadAll(response.Body)
	fmt.Println("error", response.StatusCode, string(body))
}
