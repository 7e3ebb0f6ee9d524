// address.c: which IP addresses belong to the public Internet, and which to this machine.
#include <stdbool.h>
#include <string.h>

#include "cjoseremote.h"
#include "fetch.h"

typedef struct {
    uint8_t start[16];
    unsigned bits;
} jose_block;

// IPv4 blocks that are not public: those of the IANA registries (RFC 6890), and one of Azure.
static const jose_block special4[] = {
    {{0}, 8},                  // this network
    {{10}, 8},                 // private
    {{100, 64}, 10},           // shared address space of carriers (RFC 6598)
    {{127}, 8},                // loopback
    {{168, 63, 129, 16}, 32},  // services of the host in Azure
    {{169, 254}, 16},          // link-local, where clouds keep their metadata
    {{172, 16}, 12},           // private
    {{192, 0, 0}, 24},         // protocols
    {{192, 0, 2}, 24},         // documentation
    {{192, 88, 99}, 24},       // 6to4 relays
    {{192, 168}, 16},          // private
    {{198, 18}, 15},           // benchmarks
    {{198, 51, 100}, 24},      // documentation
    {{203, 0, 113}, 24},       // documentation
    {{224}, 4},                // multicast
    {{240}, 4},                // reserved, broadcast
};

// Blocks of 2000::/3 that are not public. Tunnels may lead to any IPv4 address.
static const jose_block special6[] = {
    {{0x20, 0x01, 0x00}, 23},        // protocols, Teredo, ORCHID
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02}, 16},              // 6to4
    {{0x3f, 0xff}, 20},              // documentation
};

// The only public IPv6 addresses.
static const jose_block global6 = {{0x20}, 3};
// Blocks with an IPv4 address in their last four bytes: mapped (RFC 4291), NAT64 (RFC 6052).
static const jose_block with_ipv4[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96},
    {{0x00, 0x64, 0xff, 0x9b}, 96},
};

static bool is_in(const uint8_t *address, const jose_block *block)
{
    unsigned whole = block->bits / 8, rest = block->bits % 8;
    if (memcmp(address, block->start, whole) != 0) return false;
    return rest == 0 || (uint8_t)((address[whole] ^ block->start[whole]) >> (8 - rest)) == 0;
}

static bool is_in_any(const uint8_t *address, const jose_block *blocks, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        if (is_in(address, &blocks[at])) return true;
    }
    return false;
}

#define IS_IN_ANY(address, blocks) is_in_any(address, blocks, sizeof(blocks) / sizeof *(blocks))

bool jose_address_is_public(const uint8_t *address, size_t len)
{
    if (len == 4) return !IS_IN_ANY(address, special4);
    if (len != 16) return false;
    if (IS_IN_ANY(address, with_ipv4)) return jose_address_is_public(address + 12, 4);
    return is_in(address, &global6) && !IS_IN_ANY(address, special6);
}

bool jose_address_is_loopback(const uint8_t *address, size_t len)
{
    static const uint8_t loopback6[16] = {[15] = 1};
    if (len == 4) return address[0] == 127;
    return len == 16 && memcmp(address, loopback6, sizeof loopback6) == 0;
}

static bool is_allowed(const uint8_t *address, size_t len, jose_addresses rule)
{
    switch (rule) {
    case JOSE_ADDRESSES_ANY: return true;
    case JOSE_ADDRESSES_PUBLIC: return jose_address_is_public(address, len);
    case JOSE_ADDRESSES_LOOPBACK: return jose_address_is_loopback(address, len);
    }
    return false;
}

bool jose_socket_is_allowed(const struct sockaddr *to, size_t len, jose_addresses rule)
{
    if (to->sa_family == AF_INET && len >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in v4;
        memcpy(&v4, to, sizeof v4);
        return is_allowed((const uint8_t *)&v4.sin_addr, 4, rule);
    }
    if (to->sa_family == AF_INET6 && len >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 v6;
        memcpy(&v6, to, sizeof v6);
        return is_allowed(v6.sin6_addr.s6_addr, 16, rule);
    }
    return false;
}
