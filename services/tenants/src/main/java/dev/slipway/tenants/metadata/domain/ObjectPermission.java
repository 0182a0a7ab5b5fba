package dev.slipway.tenants.metadata.domain;

/** The access of a role to the records of an object. */
public record ObjectPermission(String role, boolean read, boolean create, boolean update, boolean delete) {

    /** The kinds of access to records. */
    public enum Access {
        READ,
        CREATE,
        UPDATE,
        DELETE
    }

    public boolean allows(Access access) {
        return switch (access) {
            case READ -> read;
            case CREATE -> create;
            case UPDATE -> update;
            case DELETE -> delete;
        };
    }
}
